#!/usr/bin/python3
"""A chat endpoint for tests. Usage: server.py [--classes a,b] [--seconds S] [--faults SHARE] [--seed N] [--log FILE] [--tls CERT KEY]

Prints its port. The class of an image is its first pixel modulo the number of classes; an answer is "CLASS #ID", where ID is
a digest of the image, and with logprobs the letter of the class. A share of the requests has a fault, by the seed: slow, 429, 500,
503, a body that is cut or huge, wrong JSON, HTML, a connection that is closed. --log gets the ID of each request. Paths other than
/v1: /same and /foreign redirect, /echo answers with the key, /unauthorized and /quota refuse, /new takes max_completion_tokens alone, /hard answers in
words of its own.
"""
import argparse
import asyncio
import base64
import hashlib
import json
import math
import random
import re
import ssl
import zlib

FAULTS = ["slow", "429", "500", "503", "cut", "huge", "json", "html", "close", "nothing"]
# Answers by the first pixel: finish_reason and content.
HARD = [("stop", ""), ("length", "Let me think about the"), ("content_filter", None), ("stop", 7), ("stop", "no idea"), ("stop", "a")]


def first_pixel(url):
    png = base64.b64decode(url.split(",", 1)[1])
    data, at = b"", 8
    while at < len(png):
        size = int.from_bytes(png[at:at + 4], "big")
        if png[at + 4:at + 8] == b"IDAT":
            data += png[at + 8:at + 8 + size]
        at += size + 12
    return zlib.decompressobj().decompress(data, 2)[1]  # behind the filter's byte; no filter changes it


def reply_of(content, finish="stop", tokens=None):
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    if tokens:
        alternatives = [{"token": token, "logprob": math.log(p)} for token, p in tokens]
        choice["logprobs"] = {"content": [{"token": tokens[0][0], "logprob": alternatives[0]["logprob"], "top_logprobs": alternatives}]}
    return {"object": "chat.completion", "model": "served", "choices": [choice], "usage": {"prompt_tokens": 600, "completion_tokens": 2}}


def answer(options, path, key, request):
    """Status, body and headers."""
    image, text = request["messages"][0]["content"]
    assert request["messages"][0]["role"] == "user" and image["type"] == "image_url" and text["type"] == "text"
    pixel = first_pixel(image["image_url"]["url"])
    name = options.classes[pixel % len(options.classes)]
    if path.startswith("/echo"):
        return 200, reply_of(f"{name} {key}"), {}
    if path.startswith("/unauthorized"):
        return 401, {"error": {"message": f"wrong key {key}", "type": "invalid_request_error", "code": "invalid_api_key"}}, {}
    if path.startswith("/quota"):
        return 429, {"error": {"message": "no credit", "code": "insufficient_quota"}}, {}
    if path.startswith("/new") and "max_tokens" in request:
        return 400, {"error": {"message": "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}, {}
    if path.startswith("/hard"):
        return 200, reply_of(*reversed(HARD[pixel % len(HARD)])), {}
    for place in ("same", "foreign"):
        if path.startswith("/" + place):
            host = "127.0.0.1" if place == "same" else "localhost"
            return 307, {}, {"Location": f"http://{host}:{options.port}/v1/chat/completions"}
    if request.get("logprobs"):
        letters = {word: letter for letter, word in re.findall(r"\b([A-Z])\. (\w+)", text["text"])}
        return 200, reply_of(letters[name], tokens=[(letters[name], .5), (" " + letters[name].lower(), .2), ("The", .1)] +
                             [(letter, .02) for word, letter in letters.items() if word != name]), {}
    return 200, reply_of(f"{name} #{hashlib.md5(image['image_url']['url'].encode()).hexdigest()}"), {}


async def serve(options, reader, writer):
    chance = options.random
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            size = int(re.search(r"content-length: (\d+)", head, re.I).group(1))
            body = json.loads(await reader.readexactly(size))
            key = re.search(r"authorization: bearer (\S+)", head, re.I)
            if options.log:
                options.log.write(hashlib.md5(body["messages"][0]["content"][0]["image_url"]["url"].encode()).hexdigest() + "\n")
                options.log.flush()
            fault = chance.choice(FAULTS) if chance.random() < options.faults else ""
            await asyncio.sleep(options.seconds * (10 if fault == "slow" else 1))
            if fault == "close":
                return
            status, value, headers = answer(options, head.split(" ", 2)[1], key.group(1) if key else "", body)
            text = json.dumps(value).encode()
            if fault in ("429", "500", "503"):
                status, text = int(fault), b'{"message": "busy", "code": 503}'
                headers = {"retry-after-ms": "20"} if fault != "503" else {}
            text = {"json": b'{"choices": [', "html": b"<html><body>502</body></html>", "nothing": b"", "huge": b"x" * (5 << 20)}.get(fault, text)
            lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(text)}", "Content-Type: application/json"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + (text[:len(text) // 2] if fault == "cut" else text))
            await writer.drain()
            if fault == "cut":
                return
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--classes", type=lambda text: text.split(","), default=["square", "ellipse", "heart"])
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--faults", type=float, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=argparse.FileType("a"))
    parser.add_argument("--tls", nargs=2)
    options = parser.parse_args()
    options.random = random.Random(options.seed)
    context = None
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
    server = await asyncio.start_server(lambda *stream: serve(options, *stream), "127.0.0.1", 0, ssl=context, limit=1 << 24, backlog=512)
    options.port = server.sockets[0].getsockname()[1]
    print(options.port, flush=True)
    await server.serve_forever()


asyncio.run(main())
