import { invalidField } from '../errors.js';
import { type Act, acts, type AuditRow } from '../store/contracts/audit.js';
import { type Cell, csvFile, wantsCsv } from './csv.js';
import { type Call, endpoint, type Endpoint } from './endpoint.js';
import { queryParameter } from './openapi/operations.js';
import { isoOrNull, listOf, pageRequestOf } from './page-request.js';
import { accountParameter, refuseUnknown, spanParameters, textParameter } from './query.js';

const filters = ['account', 'act', 'from', 'to', 'format'];

/** As JSON page by page, or all as CSV. Administrators list another account, or all. */
const listActs = endpoint({
  tag: 'Accounts',
  method: 'get',
  path: '/api/v1/audit',
  id: 'listAdministrativeActs',
  summary: 'List administrative acts, newest first',
  description:
    'Who signed in as administrator, created, changed or revoked keys and accounts, or changed the configuration, when, and from which address. An account sees the acts that concern it.',
  response: 'audit.response',
  isList: true,
  parameters: [
    queryParameter('account', "An account's id, or `all` (administrators only)."),
    queryParameter('act', 'An act, such as `key.create`.'),
    queryParameter('from', 'Start of the time range, inclusive: ISO 8601, or ms since 1970.'),
    queryParameter('to', 'End of the time range, exclusive.'),
    queryParameter(
      'format',
      '`json`, or `csv` for a file with all rows, which `Accept: text/csv` asks for too.',
    ),
  ],
  scope: 'admin',
  async run(call: Call) {
    const isCsv = wantsCsv(call);
    if (isCsv) refuseUnknown(call, filters);
    const page = isCsv ? null : pageRequestOf(call, filters);
    const filter = {
      accountId: accountParameter(call, call.caller),
      act: actParameter(call),
      ...spanParameters(call),
    };
    const { store } = await call.parts.state.opened();
    if (page) return listOf(await store.audit.list(filter, page), shownAct);
    return csvFile({ ...table, read: (next) => store.audit.list(filter, next) });
  },
});

/** The log of administrative acts. */
export const auditEndpoints: readonly Endpoint[] = [listActs];

const columns = [
  'at',
  'id',
  'act',
  'accountId',
  'target',
  'actor',
  'actorAccountId',
  'actorKeyId',
  'address',
  'details',
] as const;

const table = {
  name: 'audit',
  columns,
  row: ({ at, details, ...act }: AuditRow): Cell[] => {
    const shown: Record<string, Cell> = {
      ...act,
      at: isoOrNull(at),
      details: details === null ? null : JSON.stringify(details),
    };
    return columns.map((column) => shown[column]);
  },
};

function actParameter(call: Call): Act | null {
  const text = textParameter(call, 'act');
  if (text === null) return null;
  const act = acts.find((one) => one === text);
  if (act === undefined) throw invalidField('act', `must be one of: ${acts.join(', ')}`);
  return act;
}

function shownAct({ at, ...row }: AuditRow): object {
  return { object: 'act', ...row, at: isoOrNull(at) };
}
