import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { LazyDatabases } from '../store/lazy-databases.js';

/** Of a UUID: the upper bits of its bytes 6 and 8. */
const version8 = 0x80;
const variant = 0x80;
const halfBytes = 8;

/** Of HMAC-SHA-256 (RFC 2104). */
const blockBytes = 64;
const digestBytes = 32;
const innerPad = 0x36;
const outerPad = 0x5c;

/**
 * Ids that prove which account they belong to: UUIDs (version 8) of 58 random bits and a 64-bit
 * signature that only gateways on this database can make. Every replica can check an id without a
 * lookup, and ids cannot be guessed.
 */
export class SignedIds {
  private signature: Signature | null;

  constructor(private readonly databases: LazyDatabases) {
    this.signature = databases.isVolatile ? new Signature(randomBytes(32)) : null;
  }

  /** Must be awaited once before `make` and `isOf`. @throws GatewayError `unavailable` */
  async ready(): Promise<void> {
    this.signature ??= new Signature(await (await this.databases.get()).store.secret('signed-ids'));
  }

  get isReady(): boolean {
    return this.signature !== null;
  }

  make(accountId: string): string {
    const id = bytesOf(randomUUID());
    this.sign(id, accountId);
    return uuidText(id);
  }

  isOf(id: string, accountId: string): boolean {
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))
      return false;
    const bytes = bytesOf(id);
    const signed = Buffer.from(bytes);
    this.sign(signed, accountId);
    uuidText(signed);
    return timingSafeEqual(signed, bytes);
  }

  /** Sets the version bits of an id, and makes the signature of its first half its second. */
  private sign(id: Buffer, accountId: string): void {
    if (this.signature === null) throw new Error('the secret has not been read');
    id[6] = (id[6]! & 0x0f) | version8;
    id.write(
      this.signature.of(id.subarray(0, halfBytes), accountId),
      halfBytes,
      halfBytes,
      'binary',
    );
  }
}

/**
 * HMAC-SHA-256 of what it signs. Made of two calls of `hash`: `createHmac` takes twice as long for a
 * few bytes, and leaves the collector an object outside of V8's heap for each id.
 */
class Signature {
  private readonly inner = Buffer.alloc(blockBytes, innerPad);
  private readonly outer = Buffer.alloc(blockBytes + digestBytes, outerPad);

  /** @param secret of at most 64 bytes: HMAC hashes longer ones first */
  constructor(secret: Buffer) {
    if (secret.length > blockBytes) throw new Error('the secret of ids is longer than a block');
    secret.forEach((byte, at) => {
      this.inner[at]! ^= byte;
      this.outer[at]! ^= byte;
    });
  }

  /** 32 bytes, one in each character, for half an id and an account. */
  of(half: Buffer, accountId: string): string {
    const start = blockBytes + halfBytes;
    const message = Buffer.allocUnsafe(start + Buffer.byteLength(accountId));
    this.inner.copy(message);
    half.copy(message, blockBytes);
    message.write(accountId, start);
    this.outer.write(hash('sha256', message, 'binary'), blockBytes, 'binary');
    return hash('sha256', this.outer, 'binary');
  }
}

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

function uuidText(id: Buffer): string {
  id[8] = (id[8]! & 0x3f) | variant;
  const hex = id.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
