import type { Request, RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import { type DescribedModel, describeModels } from '../../api/providers/describe-models.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { pageRequestOf } from '../../api/page-request.js';
import { textParameter } from '../../api/query.js';
import { contextOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

const filters = ['provider', 'search', 'use', 'sort'];
const uses = ['auto', 'all'] as const;

/** Unknown figures come last. */
const orders: Record<string, (one: DescribedModel) => number | string> = {
  name: ({ label }) => label,
  price: ({ prices }) => prices.blended ?? Infinity,
  quality: ({ quality }) => -(quality?.quality ?? -Infinity),
  latency: ({ latency }) => latency ?? Infinity,
};

/**
 * `GET /api/v1/models`: the models that the caller may use, with prices, abilities and speed. It is
 * computed from what this process knows; nothing is read from the database.
 */
export function listDescribedModels(parts: GatewayParts): RequestHandler {
  return answer((req, res) => {
    const { limit, cursor } = pageRequestOf(req, filters);
    const { snapshot, caller } = contextOf(parts, res).request;
    const order = orderOf(req);
    const found = describeModels(parts, snapshot, caller.models)
      .filter(filterOf(req))
      .sort((one, other) => compare(order(one), order(other)) || compare(one.label, other.label));
    const start = startOf(cursor);
    sendJson(res, 200, {
      object: 'list',
      items: found.slice(start, start + limit).map(shownModel),
      next: start + limit < found.length ? String(start + limit) : null,
    });
  });
}

const compare = (one: number | string, other: number | string): number =>
  one < other ? -1 : one > other ? 1 : 0;

function orderOf(req: Request): (one: DescribedModel) => number | string {
  const sort = textParameter(req, 'sort') ?? 'name';
  const order = Object.hasOwn(orders, sort) ? orders[sort] : undefined;
  if (!order) throw invalidField('sort', `must be one of: ${Object.keys(orders).join(', ')}`);
  return order;
}

function filterOf(req: Request): (one: DescribedModel) => boolean {
  const use = textParameter(req, 'use') ?? 'all';
  if (!uses.some((known) => known === use))
    throw invalidField('use', `must be one of: ${uses.join(', ')}`);
  const provider = textParameter(req, 'provider');
  const words = (textParameter(req, 'search') ?? '').toLowerCase().split(/\s+/);
  return (one) =>
    (use === 'all' || one.isAuto) &&
    (provider === null || one.provider === provider) &&
    words.every((word) => one.label.toLowerCase().includes(word));
}

function startOf(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,6}$/.test(cursor)) throw invalidField('cursor', 'is not a cursor of this list');
  return Number(cursor);
}

function shownModel({ label, isAuto, latency, secondsPerToken, ...known }: DescribedModel): object {
  return {
    object: 'model',
    id: label,
    ...known,
    auto: isAuto,
    ttftMs: latency === null ? null : Math.round(latency * 1000),
    tokensPerSecond: secondsPerToken === null ? null : Math.round(1 / secondsPerToken),
  };
}
