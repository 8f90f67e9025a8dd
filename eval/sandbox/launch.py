# Gives up everything that a computation does not need, says so on descriptor 3
# and runs the program that stands on standard input after one line of settings.
# Limits and refusals are the kernel's; nothing here can be taken back.


def launch():
    import os
    import sys

    step = "its own start"
    try:
        import ctypes
        import json
        import resource

        # The empty working directory is no place for modules.
        sys.path = [p for p in sys.path if p]
        source = sys.stdin.buffer
        job = json.loads(source.readline())
        program = source.read().decode("utf-8")
        libc = ctypes.CDLL(None, use_errno=True)

        def need(result):
            if result < 0:
                e = ctypes.get_errno()
                raise OSError(e, os.strerror(e))
            return result

        step = "closing descriptors"
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        for fd in [int(n) for n in os.listdir("/proc/self/fd")]:
            if fd > 3:
                try:
                    os.close(fd)
                except OSError:
                    pass  # the listing's own
        os.environ.clear()

        step = "limits (setrlimit)"
        if job["without"] != "limits":
            limits = {
                "RLIMIT_AS": job["memory"],
                "RLIMIT_FSIZE": 0,
                "RLIMIT_NOFILE": 64,
                "RLIMIT_CORE": 0,
                "RLIMIT_MEMLOCK": 0,
                "RLIMIT_MSGQUEUE": 0,
                "RLIMIT_SIGPENDING": 0,
            }
            for name, value in limits.items():
                resource.setrlimit(getattr(resource, name), (value, value))
            # The soft limit's signal can be caught, the hard one's cannot.
            resource.setrlimit(resource.RLIMIT_CPU, (job["cpu"], job["cpu"] + 1))

        step = "giving up capabilities (capset)"
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        need(libc.capset(header, (ctypes.c_uint32 * 6)()))
        held = (ctypes.c_uint32 * 6)()
        need(libc.capget(header, held))
        if any(held):
            raise OSError("some are left")

        step = "no new privileges (prctl)"
        need(libc.prctl(38, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)))

        step = "hiding files (Landlock)"
        hides = job["without"] != "landlock" and hide(os, sys, ctypes, libc, need)

        step = "refusing system calls (seccomp)"
        if job["without"] != "seccomp":
            code = ctypes.create_string_buffer(bytes.fromhex(job["filter"]))

            class Program(ctypes.Structure):
                _fields_ = [("count", ctypes.c_ushort), ("code", ctypes.c_void_p)]

            prog = Program(len(job["filter"]) // 16, ctypes.addressof(code))
            need(libc.prctl(22, ctypes.c_ulong(2), ctypes.byref(prog), ctypes.c_ulong(0), ctypes.c_ulong(0)))
    except BaseException as e:
        os.write(3, ("no %s: %s\n" % (step, e)).encode("utf-8", "replace"))
        os._exit(120)
    os.write(3, b"ok hides\n" if hides else b"ok\n")
    return program


# hide lets the program read the interpreter's library and the system's shared
# libraries and nothing else. False where the kernel has no Landlock.
def hide(os, sys, ctypes, libc, need):
    create, add, restrict = 444, 445, 446
    version = libc.syscall(ctypes.c_long(create), None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if version < 1:
        return False
    # Every right of the first version; later versions add rights to it.
    rights = (1 << 13) - 1
    if version >= 2:
        rights |= 1 << 13
    if version >= 3:
        rights |= 1 << 14
    if version >= 5:
        rights |= 1 << 15
    attributes = (ctypes.c_uint64 * 3)(rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = need(libc.syscall(ctypes.c_long(create), attributes, ctypes.c_size_t(size), ctypes.c_uint32(0)))
    places = sys.path + ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"]
    places += [os.path.join(sys.base_prefix, "lib"), os.getcwd()]
    places += ["/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/zero", "/dev/urandom"]

    class Beneath(ctypes.Structure):
        _pack_ = 1
        _fields_ = [("rights", ctypes.c_uint64), ("fd", ctypes.c_int32)]

    for place in places:
        try:
            fd = os.open(place, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        reading = 12 if os.path.isdir(place) else 4
        rule = Beneath(reading, fd)
        need(libc.syscall(ctypes.c_long(add), ctypes.c_int(rules), ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint32(0)))
        os.close(fd)
    need(libc.syscall(ctypes.c_long(restrict), ctypes.c_int(rules), ctypes.c_uint32(0)))
    os.close(rules)
    return True


# play runs the program as the main module and ends the process with its status.
def play(program):
    import os
    import sys

    end, out, err = os._exit, sys.stdout, sys.stderr
    status = 1
    try:
        main = type(sys)("__main__")
        sys.modules["__main__"] = main
        try:
            exec(compile(program, "<program>", "exec"), main.__dict__)
            status = 0
        except SystemExit as e:
            status = e.code if isinstance(e.code, int) else 0 if e.code is None else 1
        except MemoryError:
            status = 121
        except BaseException as e:
            import traceback

            t = e.__traceback__
            traceback.print_exception(type(e), e, t and t.tb_next, file=err)
        for stream in (out, err):
            try:
                stream.flush()
            except BaseException:
                pass
    except MemoryError:
        status = 121
    finally:
        end(status & 255)


play(launch())
