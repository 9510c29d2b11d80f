import type { Request, RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import type { UsageGrouping, UsageRow } from '../../store/contracts/requests.js';
import { callerOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { type CsvTable, sendCsv, wantsCsv } from './csv.js';
import { pageRequestOf } from '../../resources/page-request.js';
import {
  accountParameter,
  keyParameter,
  modelParameters,
  refuseUnknown,
  spanParameters,
  textParameter,
} from '../../resources/query.js';
import { settledStore } from '../../pipeline/settled-store.js';

const dayMs = 86_400_000;
const defaultDays = 30;
const maxDays = 366;

/** What sums can be grouped by, and the columns of each in CSV. */
const groupings = {
  day: ['day'],
  provider: ['provider'],
  model: ['provider', 'model'],
  key: ['keyId', 'keyName'],
  account: ['accountId'],
} as const satisfies Record<UsageGrouping, readonly (keyof UsageRow)[]>;

const counts = ['requests', 'errors', 'promptTokens', 'completionTokens', 'costUsd'] as const;
const filters = ['account', 'key', 'provider', 'model', 'from', 'to', 'by', 'format'];
const maxRows = 1_000;

/**
 * `GET /api/v1/usage`: sums over whole UTC days, by default by day and model of the last 30 days,
 * as JSON page by page or all as CSV. They are stored longer than the requests.
 */
export function readUsage(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const isCsv = wantsCsv(req);
    if (isCsv) refuseUnknown(req, filters);
    const page = isCsv ? null : pageRequestOf(req, filters, { normal: maxRows, max: maxRows });
    const by = groupingsOf(req);
    const { from, to } = daysOf(req);
    const accountId = accountParameter(req, callerOf(res));
    const wanted = { accountId, ...modelParameters(req), from, to };
    const store = await settledStore(parts);
    const filter = { ...wanted, keyIds: await keyParameter(req, store, accountId) };
    if (!page) {
      await sendCsv(
        res,
        tableOf(by, (next) => store.requests.usage(filter, by, next)),
      );
      return;
    }
    const { items, next } = await store.requests.usage(filter, by, page);
    sendJson(res, 200, {
      object: 'list',
      from: dayOf(from),
      to: dayOf(to - 1),
      items: items.map(shownSums),
      next,
    });
  });
}

function tableOf(
  by: readonly UsageGrouping[],
  read: CsvTable<UsageRow>['read'],
): CsvTable<UsageRow> {
  const columns = [...new Set(by.flatMap((grouping) => [...groupings[grouping]])), ...counts];
  return {
    name: 'usage',
    columns,
    row: (sums) => {
      const shown = shownSums(sums);
      return columns.map((column) => shown[column]);
    },
    read,
  };
}

/** Rounded, because sums of binary fractions have trailing digits. */
const shownSums = (sums: UsageRow): UsageRow => ({
  ...sums,
  costUsd: Math.round(sums.costUsd * 1e9) / 1e9,
});

function groupingsOf(req: Request): UsageGrouping[] {
  const names = (textParameter(req, 'by') ?? 'day,model').split(',').map((name) => name.trim());
  const isGrouping = (name: string): name is UsageGrouping => Object.hasOwn(groupings, name);
  if (!names.every(isGrouping))
    throw invalidField('by', `must be one or more of: ${Object.keys(groupings).join(', ')}`);
  return [...new Set(names)];
}

function daysOf(req: Request): { from: number; to: number } {
  const span = spanParameters(req);
  const to = span.to ?? Math.max(Date.now() + 1, (span.from ?? 0) + 1);
  const from = span.from ?? to - defaultDays * dayMs;
  if (to - from > maxDays * dayMs)
    throw invalidField('from', `must be at most ${maxDays} days before to`);
  return { from, to };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
