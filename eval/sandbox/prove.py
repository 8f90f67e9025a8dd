# Tries what a program must not be able to do and names on descriptor 3 what it
# could do all the same.
import os
import resource
import socket

open_doors = []


def tries(name, act):
    try:
        act()
    except (OSError, ValueError):
        return
    open_doors.append("the program could " + name)


def fork():
    if os.fork() == 0:
        os._exit(0)


tries("make an IPv4 socket", lambda: socket.socket(socket.AF_INET))
tries("make an IPv6 socket", lambda: socket.socket(socket.AF_INET6))
tries("make a Unix socket", lambda: socket.socket(socket.AF_UNIX))
tries("make a pair of sockets", socket.socketpair)
tries("start a process", fork)
tries("start another program", lambda: os.execv("/bin/true", ["true"]))
tries("write a file", lambda: os.open("x", os.O_WRONLY | os.O_CREAT))
tries("make a folder", lambda: os.mkdir("x"))
tries("send a signal", lambda: os.kill(os.getppid(), 0))
tries("raise its limits", lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)))
if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
    open_doors.append("memory has no limit")
if resource.getrlimit(resource.RLIMIT_CPU)[0] == resource.RLIM_INFINITY:
    open_doors.append("CPU time has no limit")
if os.environ:
    open_doors.append("the program kept an environment")
os.write(3, ("\n".join(open_doors) or "held").encode() + b"\n")
