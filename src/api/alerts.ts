import type { AlertRow } from '../store/contracts/alerts.js';
import { type Call, endpointsOf } from './endpoint.js';
import { listOf, pageRequestOf } from './page-request.js';
import { isoOrNull, timed } from './shown-fields.js';

const endpoint = endpointsOf({ tag: 'Accounts', scope: 'administrator' });

/** All alerts, also those that no channel has taken. */
export const listAlerts = endpoint('get', '/api/v1/alerts', 'listAlerts', {
  summary: 'List alerts, newest first',
  description:
    'What the gateway has told by mail or webhook, as `alerts` in its configuration says, and why an alert was not taken. Alerts are kept for 90 days.',
  response: 'alert.response',
  isList: true,
  async run(call: Call) {
    const { store } = await call.parts.state.opened();
    return listOf(await store.alerts.list(pageRequestOf(call)), shownAlert);
  },
});

const shownAlert = ({ triedAt: _triedAt, ...alert }: AlertRow) => ({
  object: 'alert',
  ...timed(alert),
  sentAt: isoOrNull(alert.sentAt),
});
