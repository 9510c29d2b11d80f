import { queryParameter, resourcePath } from './operations.js';

/** The log of administrative acts. */
export function auditPaths(): object {
  return resourcePath('Accounts', '/api/v1/audit', {
    get: {
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
    },
  });
}
