import { acts, type AuditRow } from '../store/contracts/audit.js';
import { pageOrFile } from './csv.js';
import { type Call, endpointsOf } from './endpoint.js';
import { listOf, pageRequestOf } from './page-request.js';
import { queryParameter, shared } from './parameters.js';
import { accountParameter, choiceParameter, spanParameters } from './query.js';
import { timed } from './shown-fields.js';
import { namesIn } from '../text/is-object.js';

const endpoint = endpointsOf({ tag: 'Accounts', scope: 'admin' });

const parameters = [
  shared.account,
  queryParameter('act', 'An act, such as `key.create`.'),
  shared.from,
  shared.to,
  shared.format,
];

/** As JSON page by page, or all as CSV. Administrators list another account, or all. */
export const listActs = endpoint('get', '/api/v1/audit', 'listAdministrativeActs', {
  summary: 'List administrative acts, newest first',
  description:
    'Who signed in as administrator, created, changed or revoked keys and accounts, or changed the configuration, when, and from which address. An account sees the acts that concern it.',
  response: 'audit.response',
  isList: true,
  parameters,
  async run(call: Call) {
    const filter = {
      accountId: accountParameter(call),
      act: choiceParameter(call, 'act', acts),
      ...spanParameters(call),
    };
    const { store } = await call.parts.state.opened();
    return pageOrFile(call, parameters, {
      page: async () => listOf(await store.audit.list(filter, pageRequestOf(call)), shownAct),
      table: () => ({
        name: 'audit',
        columns,
        row,
        read: (page) => store.audit.list(filter, page),
      }),
    });
  },
});

const columns = namesIn(`
  at id act accountId target actor actorAccountId actorKeyId address details
`);

const row = (act: AuditRow) => ({
  ...timed(act),
  details: act.details === null ? null : JSON.stringify(act.details),
});

const shownAct = (act: AuditRow) => ({ object: 'act', ...timed(act) });
