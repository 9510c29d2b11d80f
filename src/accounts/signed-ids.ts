import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { LazyDatabases } from '../store/lazy-databases.js';

const version8 = 0x80;
const variant = 0x80;

const idBytes = 16;
const idsPerRead = 256;

/**
 * Ids that prove which account they belong to: UUIDs (version 8) of 58 random bits and a 64-bit
 * signature that only gateways on this database can make. Every replica can check an id without a
 * lookup, and ids cannot be guessed.
 */
export class SignedIds {
  private secret: Buffer | null;
  /** Random bytes for the next ids: a system call for each id takes longer than signing it. */
  private random = Buffer.alloc(0);

  constructor(private readonly databases: LazyDatabases) {
    this.secret = databases.isVolatile ? randomBytes(32) : null;
  }

  /** Must be awaited once before `make` and `isOf`. @throws GatewayError `unavailable` */
  async ready(): Promise<void> {
    this.secret ??= await (await this.databases.get()).store.secret('signed-ids');
  }

  get isReady(): boolean {
    return this.secret !== null;
  }

  /** A new id for an account. */
  make(accountId: string): string {
    const id = this.randomId();
    this.sign(id, accountId).copy(id, 8, 0, 8);
    return textOf(id);
  }

  /** Whether the id was made for the account. */
  isOf(id: string, accountId: string): boolean {
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))
      return false;
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
    const signed = Buffer.from(bytes);
    this.sign(signed, accountId).copy(signed, 8, 0, 8);
    textOf(signed);
    return timingSafeEqual(signed, bytes);
  }

  /** No two ids use the same bytes. */
  private randomId(): Buffer {
    if (this.random.length === 0) this.random = randomBytes(idBytes * idsPerRead);
    const id = this.random.subarray(0, idBytes);
    this.random = this.random.subarray(idBytes);
    return id;
  }

  /** Sets the version bits of an id, and returns the signature of its first half. */
  private sign(id: Buffer, accountId: string): Buffer {
    if (this.secret === null) throw new Error('the secret has not been read');
    id[6] = (id[6]! & 0x0f) | version8;
    return createHmac('sha256', this.secret).update(id.subarray(0, 8)).update(accountId).digest();
  }
}

function textOf(id: Buffer): string {
  id[8] = (id[8]! & 0x3f) | variant;
  const hex = id.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
