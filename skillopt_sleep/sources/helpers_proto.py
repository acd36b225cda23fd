import multiprocessing, os
from concurrent.futures import ProcessPoolExecutor
import msgspec
from skillopt_sleep.protocols import Reading, Stamp
from skillopt_sleep.sources.files import read_each
_enc=msgspec.msgpack.Encoder().encode
_dec=msgspec.msgpack.Decoder(list[tuple[str,Stamp,Reading]])
def _ready(): return True
def _chunk(paths,parse): return _enc(list(read_each(paths,parse)))
def read_helped(paths, parse, helpers):
    sizes=[os.lstat(p).st_size for p in paths]
    chunks=[];cur=[];room=4<<20
    for p,s in zip(paths,sizes):
        cur.append(p);room-=s
        if room<=0: chunks.append(cur);cur=[];room=4<<20
    if cur: chunks.append(cur)
    pool=ProcessPoolExecutor(helpers,mp_context=multiprocessing.get_context("spawn"))
    ready=pool.submit(_ready)
    begun=None
    try:
        for at,chunk in enumerate(chunks):
            if begun is None and ready.done():
                begun={i:pool.submit(_chunk,chunks[i],parse) for i in range(len(chunks)-1,at,-1)}
            if begun is None or begun[at].cancel() if (begun is None or at in begun) else True:
                yield from read_each(chunk,parse)
            else:
                yield from _dec.decode(begun[at].result())
    finally:
        pool.shutdown(wait=False,cancel_futures=True)
