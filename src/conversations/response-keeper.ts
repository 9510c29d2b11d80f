import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { withTimeout } from '../async/with-timeout.js';
import type { LazyDatabases } from '../store/lazy-databases.js';
import { GatewayError } from '../errors.js';
import type { ResponseRecord, ResponseStore } from '../store/contracts/responses.js';
import { exactJson } from '../text/exact-json.js';
import { VolatileConversations } from './known-conversations.js';
import type { StorageQuota } from './storage-quota.js';

type Json = Readonly<Record<string, unknown>>;

/** A turn of the Responses dialect, before its answer. */
export interface ResponseTurn {
  /** `resp_…`: the id of the response. */
  readonly id: string;
  /** The id of the response that it continues, as the request has it; null: none. */
  readonly previousId: string | null;
  /** The request's body, with stored items in place of references to them. */
  readonly body: Json;
  readonly stores: boolean;
  /** Stores it, in two seconds at most. False: that is not confirmed. Never rejects. */
  keep(response: Json): Promise<boolean>;
  /** Seals the summary that the request asks for; null: it asks for an answer. */
  readonly seal: ((summary: string) => string) | null;
}

/** How long an answer waits until its turn is stored. */
const maxSavingMs = 2_000;
/** A longer chain of responses counts as one with a missing beginning. */
const maxTurns = 1_000;

const sealPrefix = 'sbxc1.';
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Stores responses, which count as storage of their account, and seals summaries. */
export class ResponseKeeper {
  /** Null unless the database is in memory. */
  private readonly volatile: VolatileConversations | null;
  private key: Buffer | null = null;

  constructor(
    private readonly databases: LazyDatabases,
    private readonly quota: StorageQuota,
  ) {
    this.volatile = VolatileConversations.of(databases, (account, id) => this.remove(account, id));
  }

  /**
   * A response with all that it continues, oldest first; null: one of them is not stored.
   * @throws GatewayError `unavailable`; `payload_too_large` for more than `maxLength` characters
   */
  async chain(
    accountId: string,
    id: string,
    maxLength: number,
  ): Promise<readonly ResponseRecord[] | null> {
    const chain = await (await this.store()).chain(accountId, id, maxTurns, maxLength);
    const length = chain.reduce((sum, one) => sum + one.input.length + one.response.length, 0);
    if (length > maxLength) throw tooLong(maxLength);
    return chain[0]?.previousId === null ? chain : null;
  }

  /** Null: the account has no such response. @throws GatewayError `unavailable` */
  async find(accountId: string, id: string): Promise<ResponseRecord | null> {
    return (await (await this.store()).chain(accountId, id, 1))[0] ?? null;
  }

  /**
   * The stored responses, as JSON, that have output items of these ids.
   * @throws GatewayError as `chain`
   */
  async withItems(
    accountId: string,
    ids: readonly string[],
    maxLength: number,
  ): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const found = await (await this.store()).withItems(accountId, ids, maxLength);
    if (found === null) throw tooLong(maxLength);
    return found.map(({ response }) => response);
  }

  /** As `ResponseTurn.keep`. */
  async save(
    accountId: string,
    turn: Pick<ResponseTurn, 'id' | 'previousId'>,
    input: readonly Json[],
    response: Json,
  ): Promise<boolean> {
    const { id, previousId } = turn;
    const json = { input: exactJson(input), response: exactJson(response) };
    const size = Buffer.byteLength(json.input) + Buffer.byteLength(json.response);
    if (!this.quota.hasRoom(accountId, size)) return false;
    const itemIds = outputOf(response).map((item) => String(item['id']));
    const record = { id, accountId, previousId, at: Date.now(), ...json, itemIds };
    const saving = this.store().then((store) => store.save(record));
    const saved = saving.then(
      () => {
        this.quota.add(accountId, size);
        this.volatile?.use(accountId, id, size);
        return true;
      },
      () => false,
    );
    return withTimeout(saved, maxSavingMs, () => false);
  }

  /** Looks up what the account stores, so that `save` can tell whether there is room. */
  prepare(accountId: string): void {
    if (this.databases.now) this.quota.prepare(accountId);
  }

  /** False if there was none. @throws GatewayError `unavailable` */
  async remove(accountId: string, id: string): Promise<boolean> {
    const isRemoved = await (await this.store()).remove(accountId, id);
    this.quota.forget(accountId);
    this.volatile?.remove(accountId, id);
    return isRemoved;
  }

  /**
   * Seals texts for an account: only gateways on this database can open them, and only for it.
   * @throws GatewayError `unavailable`
   */
  async sealer(accountId: string): Promise<(text: string) => string> {
    const key = await this.sealKey();
    return (text) => {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(accountId));
      const sealed = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()];
      return sealPrefix + Buffer.concat(sealed).toString('base64url');
    };
  }

  /** Opens a sealed text; null: it was sealed under another database or for another account. */
  async open(accountId: string, sealed: unknown): Promise<string | null> {
    if (typeof sealed !== 'string' || !sealed.startsWith(sealPrefix)) return null;
    const bytes = Buffer.from(sealed.slice(sealPrefix.length), 'base64url');
    if (bytes.length < nonceBytes + tagBytes) return null;
    const opening = createDecipheriv(cipher, await this.sealKey(), bytes.subarray(0, nonceBytes));
    opening.setAAD(Buffer.from(accountId)).setAuthTag(bytes.subarray(-tagBytes));
    try {
      const text = [opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()];
      return Buffer.concat(text).toString('utf8');
    } catch {
      return null;
    }
  }

  private async sealKey(): Promise<Buffer> {
    return (this.key ??= await (await this.databases.get()).store.secret('sealed-summaries'));
  }

  private async store(): Promise<ResponseStore> {
    return (await this.databases.get()).store.responses;
  }
}

const tooLong = (maxLength: number): GatewayError =>
  new GatewayError(
    'payload_too_large',
    `the responses that this request refers to have more than ${maxLength} characters together`,
  );

/** The output items with an id: a request can refer to no other. */
export const outputOf = ({ output }: Json): readonly Json[] =>
  Array.isArray(output)
    ? (output as (Json | null)[]).filter((item): item is Json => typeof item?.['id'] === 'string')
    : [];
