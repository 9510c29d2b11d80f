const sizeLine = 0,
  payload = 1,
  payloadEnd = 2,
  trailer = 3;

/**
 * Reads one HTTP/1.1 answer from a connection: the time of its first content, and when it is whole.
 */
export class AnswerReader {
  status = 0;
  /** `performance.now()` of the first byte of the body; 0 before it. */
  firstAt = 0;
  /** Bytes of the body so far. */
  bytes = 0;
  /** The body's pieces where the caller wants them, otherwise null. */
  kept = null;
  #head = '';
  #inHead = true;
  #chunked = false;
  #left = 0;
  #state = sizeLine;
  #lineLength = 0;

  /** @returns whether the answer is whole */
  feed(buffer, length) {
    let at = 0;
    if (this.#inHead) {
      this.#head += buffer.latin1Slice(0, length);
      const end = this.#head.indexOf('\r\n\r\n');
      if (end === -1) return false;
      at = length - (this.#head.length - end - 4);
      this.#readHead(this.#head.slice(0, end + 2));
      if (!this.#chunked && this.#left === 0) return true;
    }
    if (at === length) return false;
    if (this.firstAt === 0) this.firstAt = performance.now();
    if (this.#chunked) return this.#feedChunks(buffer, at, length);
    this.#take(buffer, at, length);
    this.#left -= length - at;
    return this.#left <= 0;
  }

  #readHead(head) {
    this.#inHead = false;
    this.status = Number(head.slice(9, 12));
    this.#chunked = /\r\ntransfer-encoding: *chunked\r\n/i.test(head);
    this.#left = this.#chunked ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  }

  #feedChunks(buffer, from, length) {
    let at = from;
    while (at < length) {
      if (this.#state === payload) {
        const end = Math.min(length, at + this.#left);
        this.#take(buffer, at, end);
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#state = payloadEnd;
        continue;
      }
      const byte = buffer[at++];
      if (byte === 13) continue;
      if (byte !== 10) {
        this.#lineLength++;
        // a digit, or a letter in either case
        if (this.#state === sizeLine)
          this.#left = this.#left * 16 + (byte < 58 ? byte - 48 : (byte | 32) - 87);
        continue;
      }
      if (this.#state === trailer && this.#lineLength === 0) return true;
      if (this.#state !== trailer)
        this.#state = this.#state === payloadEnd ? sizeLine : this.#left > 0 ? payload : trailer;
      this.#lineLength = 0;
    }
    return false;
  }

  #take(buffer, from, to) {
    this.bytes += to - from;
    this.kept?.push(Buffer.from(buffer.subarray(from, to)));
  }
}
