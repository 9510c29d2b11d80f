import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addressOf } from '../api/providers.js';
import type { Config } from '../config/config.js';
import { configuredCatalog } from '../gateway.js';
import type { Catalog } from '../models/catalog.js';
import { demoModels } from './demo-provider.js';
import { type PriceChange, usePriceEdition } from '../models/price-edition.js';
import {
  fetchPriceEdition,
  PriceUpdates,
  type PriceUpdate,
  unpricedModels,
  updatePrices,
} from '../pipeline/engine/price-updates.js';
import type { RequestFilter } from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';
import { groupOf, onStore, withConfig } from './command-group.js';
import { recordAct } from './record-act.js';

interface UpdateOptions {
  readonly from: string;
  readonly apply?: boolean;
  readonly acceptJumps?: boolean;
}

const maxShown = 40;

/** Adds `signalbox prices …`. */
export function addPriceCommands(program: Command): void {
  const group = groupOf(program, 'prices', 'read newer price data, and put the old back');
  group
    .command('update')
    .description("show what newer price data in genai-prices' format changes, and put it in force")
    .requiredOption('--from <file|url>', 'where it is read from')
    .option('--apply', 'put it in force; without this, the difference is only shown')
    .option('--accept-jumps', 'also where prices change by more than ten times')
    .action(withConfig(updatePricesCommand));
  group
    .command('show')
    .description('print which price data is in force, and which used models have no price')
    .action(withConfig(showPricesCommand));
  group
    .command('revert')
    .description('put the price data before the last update back in force')
    .action(onStore(revertPricesCommand));
}

/** Makes this process use what the gateways on the database use. */
async function followStored(store: Store): Promise<void> {
  usePriceEdition(null);
  const warn = (warning: string): void => void process.stderr.write(`warning: ${warning}\n`);
  await new PriceUpdates(warn).follow(store);
}

/** `signalbox prices update`: shows what newer price data changes, and stores it with `apply`. */
export async function updatePricesCommand(
  store: Store,
  config: Config,
  { from, apply = false, acceptJumps = false }: UpdateOptions,
): Promise<string> {
  await followStored(store);
  const isUrl = /^https?:\/\//i.test(from);
  const text = isUrl ? await fetchPriceEdition(from) : await readFile(from, 'utf8');
  const source = isUrl ? (addressOf(from) ?? from) : resolve(from);
  const update = await updatePrices(store, { text, source }, { apply, acceptJumps });
  const { applied, counts } = update;
  if (!applied) return `${shownUpdate(update)}nothing was changed: --apply puts it in force\n`;
  const details = { source, ...counts };
  await recordAct(store, { act: 'prices.update', target: applied.id, details });
  await followStored(store);
  return `${shownUpdate(update)}in force within seconds, without a restart\n${await shownUnpriced(store, config)}`;
}

/** `signalbox prices show`: which price data is in force, and which used models have no price. */
export async function showPricesCommand(store: Store, config: Config): Promise<string> {
  await followStored(store);
  const row = await store.priceEditions.newest();
  const inForce = row ? `${row.source}, since ${new Date(row.at).toISOString()}` : 'of the package';
  return `price data: ${inForce}\n${await shownUnpriced(store, config)}`;
}

/** `signalbox prices revert`: puts the price data before the last update back in force. */
export async function revertPricesCommand(store: Store): Promise<string> {
  const removed = await store.priceEditions.removeNewest();
  if (!removed) return 'nothing was changed: the price data of the package is in force\n';
  const { id, source } = removed;
  await recordAct(store, { act: 'prices.revert', target: id, details: { source } });
  const before = await store.priceEditions.newest();
  return `in force within seconds: the price data ${before ? `from ${before.source}` : 'of the package'}\n`;
}

/** The demo answers where there is no provider, and its requests stay. */
const catalogIn = (config: Config): Catalog =>
  configuredCatalog({ ...config, models: { ...demoModels, ...config.models } }, process.env);

/** A line below sums that count what has no known price as nothing; `''`: all has one. */
export async function unpricedNote(
  store: Store,
  config: Config,
  filter: RequestFilter,
): Promise<string> {
  await followStored(store);
  const models = await unpricedModels(store, catalogIn(config), filter);
  return models.length === 0
    ? ''
    : `Note: no price is known of ${models.join(', ')}: its requests count as 0 USD.\n`;
}

async function shownUnpriced(store: Store, config: Config): Promise<string> {
  const models = await unpricedModels(store, catalogIn(config));
  return models.length === 0
    ? 'all models that answered in the last 30 days have a price\n'
    : `models that answered in the last 30 days and have no price:\n${listed(models)}`;
}

function shownUpdate({ counts, added, removed, changed }: PriceUpdate): string {
  return `added: ${counts.added} models
${listed(added)}removed: ${counts.removed} models
${listed(removed)}changed: ${counts.changed} prices, ${counts.jumps} by more than ten times
${listed(changed.map(shownChange))}`;
}

const shownPrice = (price: number | null): string => (price === null ? 'none' : `${price} USD`);

function shownChange({ model, charge, from, to }: PriceChange): string {
  const factor = from && to !== null ? ` (x ${Number((to / from).toPrecision(3))})` : '';
  return `${model} ${charge}: ${shownPrice(from)} -> ${shownPrice(to)}${factor}`;
}

function listed(lines: readonly string[]): string {
  const more = lines.length > maxShown ? [`and ${lines.length - maxShown} more`] : [];
  return [...lines.slice(0, maxShown), ...more].map((line) => `  ${line}\n`).join('');
}
