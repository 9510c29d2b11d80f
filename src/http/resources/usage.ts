import type { RequestHandler } from 'express';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { pageRequestOf } from '../../api/page-request.js';
import { accountParameter, refuseUnknown } from '../../api/query.js';
import {
  groupings,
  type SelectedUsage,
  selectUsage,
  usageFilters,
  usagePages,
} from '../../api/usage.js';
import { readSeries, seriesFilters } from '../../api/figures/usage-series.js';
import type { UsageRow } from '../../store/contracts/requests.js';
import { callerOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { type CsvTable, sendCsv, wantsCsv } from './csv.js';

const counts = [
  'requests',
  'errors',
  'promptTokens',
  'completionTokens',
  'costUsd',
  'cacheSavedUsd',
] as const;
const filters = [...usageFilters, 'format'];

/**
 * `GET /api/v1/usage`: sums over whole UTC days, by default by day and model of the last 30 days,
 * as JSON page by page or all as CSV. They are stored longer than the requests.
 */
export function readUsage(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const isCsv = wantsCsv(req);
    if (isCsv) refuseUnknown(req, filters);
    const page = isCsv ? null : pageRequestOf(req, filters, usagePages);
    const selected = await selectUsage(parts, req, accountParameter(req, callerOf(res)));
    if (page) sendJson(res, 200, await selected.show(page));
    else await sendCsv(res, tableOf(selected));
  });
}

/** `GET /api/v1/usage/series`: figures over time, by default of the last day. */
export function readUsageSeries(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    refuseUnknown(req, seriesFilters);
    sendJson(res, 200, await readSeries(parts, req, accountParameter(req, callerOf(res))));
  });
}

function tableOf({ by, read }: SelectedUsage): CsvTable<UsageRow> {
  const columns = [...new Set(by.flatMap((grouping) => [...groupings[grouping]])), ...counts];
  return { name: 'usage', columns, row: (sums) => columns.map((column) => sums[column]), read };
}
