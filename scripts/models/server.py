"""llama.cpp's HTTP server for one model, until it is told to end:
server.py MODEL ALIAS HOST PORT CONTEXT THREADS"""

import os
import signal
import sys

import xllamacpp

path, alias, host, port, context, threads = sys.argv[1:]
p = xllamacpp.CommonParams()
p.model.path = path
p.model_alias = {alias}
p.hostnames = [host]
p.port = int(port)
p.n_ctx = int(context)
p.n_parallel = 1
p.cpuparams.n_threads = int(threads)
p.cpuparams_batch.n_threads = int(threads)
p.ui = False
p.endpoint_metrics = True
p.cache_ram_mib = 0  # prompts of earlier calls are not kept beside the one slot
server = xllamacpp.Server(p)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
signal.signal(signal.SIGINT, lambda *_: os._exit(0))
while True:
    signal.pause()
