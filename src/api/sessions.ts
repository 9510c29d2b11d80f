import { invalidField } from '../errors.js';
import { settledStore } from '../pipeline/engine/gateway-parts.js';
import type { SelectionRow } from '../store/contracts/requests.js';
import { type Call, endpointsOf, type Endpoint } from './endpoint.js';
import { idOf, listOf, pageRequestOf } from './page-request.js';
import { isoOf } from './shown-fields.js';

const endpoint = endpointsOf({ tag: 'Model selection', scope: 'model-select' });
const path = '/api/v1/sessions';

const listSessions = endpoint('get', path, 'listSessions', {
  summary: "List the account's sessions of model selection, newest first",
  response: 'decision.response',
  isList: true,
  async run(call: Call) {
    const page = pageRequestOf(call);
    const store = await settledStore(call.parts);
    return listOf(await store.selections.list(call.caller.accountId, page), (row) => ({
      object: 'session',
      ...decisionOf(row),
    }));
  },
});

/** All decisions linked with this one by `previous_session`. */
const getSession = endpoint('get', `${path}/{session_id}`, 'getSession', {
  summary: 'All decisions of a session, oldest first',
  response: 'session.response',
  async run(call: Call) {
    const { parts, caller } = call;
    const id = idOf(call, 'session_id');
    const { ids } = parts.state;
    await ids.ready();
    if (!ids.isOf(id, caller.accountId)) throw invalidField('session_id', 'not found', 'not_found');
    const store = await settledStore(parts);
    const group = await store.selections.group(caller.accountId, id);
    if (group.length === 0) throw invalidField('session_id', 'not found', 'not_found');
    return {
      object: 'session',
      session_id: id,
      group: group.map((row) => ({ ...decisionOf(row), ...candidatesOf(row) })),
    };
  },
});

/** Sessions of model selection. */
export const sessionEndpoints: readonly Endpoint[] = [listSessions, getSession];

/** With the field names of model selection, without the content, which the request log shows. */
const decisionOf = (row: SelectionRow) => ({
  session_id: row.id,
  previous_session: row.previousId,
  at: isoOf(row.at),
  llm_label: row.label,
  reason: row.reason,
  tradeoff: row.tradeoff,
  preference_id: row.preferenceId,
  keyId: row.keyId,
});

/** The candidates; `gate`, how familiar the request was, is stored with the first of them. */
function candidatesOf({ candidates }: SelectionRow): object {
  if (!Array.isArray(candidates)) return { candidates };
  const [first, ...others] = candidates as ({ gate?: number; kinds?: unknown } | null)[];
  if (first?.gate === undefined) return { candidates };
  // the internal numbers of the task kinds are used by the learner only
  const { gate, kinds: _kinds, ...shown } = first;
  return { gate, candidates: [shown, ...others] };
}
