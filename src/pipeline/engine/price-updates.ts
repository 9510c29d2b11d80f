import { createHash, randomUUID } from 'node:crypto';
import { readAnswer } from '../../async/read-answer.js';
import { inTurns } from '../../async/turns.js';
import { GatewayError, invalidField, messageOf } from '../../errors.js';
import type { ModelFacts } from '../../models/model-facts.js';
import {
  isJump,
  maxPriceEditionBytes,
  type PriceDifference,
  priceDifference,
  readPriceEdition,
  usePriceEdition,
} from '../../models/price-edition.js';
import type { PriceEditionRow } from '../../store/contracts/price-editions.js';
import type { RequestFilter } from '../../store/contracts/requests.js';
import type { Store } from '../../store/contracts/store.js';

type PriceStore = Pick<Store, 'priceEditions'>;

/** How soon a process applies price data that another process has stored. */
const pollMs = 2_000;
const fetchTimeoutMs = 30_000;
const usedMs = 30 * 86_400_000;

/** The price data in force in this process: it follows the database. */
export class PriceUpdates {
  /** Called when other price data is in force. */
  onChange: () => void = () => undefined;
  private id: string | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private last: Promise<void> = Promise.resolve();

  /** @param warn reports stored data that this version cannot read; the earlier data stays in force */
  constructor(private readonly warn: (warning: string) => void) {}

  /** Puts the stored data in force, unless it is already. @throws GatewayError `unavailable` */
  follow(store: PriceStore): Promise<void> {
    // one after the other: otherwise a slow read of older data could finish last
    return (this.last = this.last.catch(() => undefined).then(() => this.read(store)));
  }

  private async read({ priceEditions }: PriceStore): Promise<void> {
    const id = (await priceEditions.newest())?.id ?? null;
    if (id === this.id) return;
    const text = id === null ? null : await priceEditions.text(id);
    if (this.isClosed) return;
    this.id = id;
    try {
      usePriceEdition(text === null ? null : await inTurns(readPriceEdition(text)));
    } catch (error) {
      const why = messageOf(error);
      this.warn(`the stored price data cannot be read: ${why}`);
      return;
    }
    this.onChange();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** Puts the stored data in force, now and whenever it changes, until `close`. Never rejects. */
  async poll(store: PriceStore): Promise<void> {
    // a database that is away leaves the prices as they are
    await this.follow(store).catch(() => undefined);
    if (!this.isClosed) this.timer = setTimeout(() => void this.poll(store), pollMs).unref();
  }
}

/** What an update would do, or has done. */
export interface PriceUpdate extends PriceDifference {
  /** `jumps`: how many of the changes are by more than ten times. */
  readonly counts: Readonly<Record<'added' | 'removed' | 'changed' | 'jumps', number>>;
  /** The data's SHA-256 in hexadecimal. */
  readonly digest: string;
  /** Null: the update was only shown. */
  readonly applied: PriceEditionRow | null;
}

/** How to handle price data. */
export interface PriceUpdateTerms {
  readonly apply: boolean;
  readonly acceptJumps: boolean;
  /** The digest of the data that was shown; null or absent: any data is accepted. */
  readonly digest?: string | null;
}

/**
 * Compares price data with what is in force, and stores it where it is to be applied.
 * @throws GatewayError `validation_failed` for data that cannot be read, and for jumps that are not
 * accepted; `conflict` for data with another digest
 */
export async function updatePrices(
  { priceEditions }: PriceStore,
  { text, source }: { readonly text: string; readonly source: string },
  { apply, acceptJumps, digest: shown = null }: PriceUpdateTerms,
): Promise<PriceUpdate> {
  const digest = createHash('sha256').update(text).digest('hex');
  if (shown !== null && shown !== digest)
    throw new GatewayError('conflict', 'the price data has changed since it was shown');
  let difference: PriceDifference;
  try {
    if (text.length > maxPriceEditionBytes) throw new Error('it is larger than 4 MiB');
    difference = await inTurns(priceDifference(await inTurns(readPriceEdition(text))));
  } catch (error) {
    throw invalidField('data', messageOf(error));
  }
  const { added, removed, changed } = difference;
  const jumps = changed.filter(isJump).length;
  const sizes = { added: added.length, removed: removed.length, changed: changed.length };
  const counts = { ...sizes, jumps };
  if (!apply) return { ...difference, counts, digest, applied: null };
  if (jumps > 0 && !acceptJumps)
    throw invalidField(
      'data',
      `${jumps} prices change by more than ten times; nothing was changed`,
    );
  // another machine's clock may be ahead
  const at = Math.max(Date.now(), ((await priceEditions.newest())?.at ?? 0) + 1);
  const row = { id: randomUUID(), at, source };
  await priceEditions.add(row, text);
  return { ...difference, counts, digest, applied: row };
}

/**
 * Reads price data from an address that the operator has named.
 * @throws GatewayError `upstream_error`
 */
export async function fetchPriceEdition(url: string): Promise<string> {
  try {
    const limits = { timeoutMs: fetchTimeoutMs, maxBytes: maxPriceEditionBytes };
    const { answer, text, isCut } = await readAnswer((signal) => fetch(url, { signal }), limits);
    if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`);
    if (isCut) throw new Error('it is larger than 4 MiB');
    return text;
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message || message : message;
    // a refused address is part of the message, with its password
    const shown = why.replaceAll(url, 'its address');
    throw new GatewayError('upstream_error', `the price data cannot be read: ${shown}`);
  }
}

/**
 * The models that answered and have no price: `<provider>/<model>`.
 * @param filter those whose requests count as nothing; default: all of the last 30 days
 */
export async function unpricedModels(
  { requests }: Pick<Store, 'requests'>,
  { lookup }: { lookup(provider: string, model: string): ModelFacts },
  filter?: RequestFilter,
): Promise<string[]> {
  const all = { accountId: null, from: Date.now() - usedMs };
  const { items } = await requests.usage(filter ?? all, ['model'], { limit: 1_000, cursor: null });
  return items.flatMap(({ provider, model, requests: count, errors, costUsd }) => {
    if (!provider || !model || count <= errors || (filter && costUsd > 0)) return [];
    const { inputPrice, outputPrice, requestPrice } = lookup(provider, model);
    const isPriced = [inputPrice, outputPrice, requestPrice].some((price) => price !== null);
    return isPriced ? [] : [`${provider}/${model}`];
  });
}
