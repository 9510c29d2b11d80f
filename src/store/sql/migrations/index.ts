import type { Migration } from 'kysely';
import { beginning } from './0001-beginning.js';
import { trainings } from './0002-trainings.js';
import { learnings } from './0003-learnings.js';
import { accountLimits } from './0004-account-limits.js';
import { requestErrors } from './0006-request-errors.js';
import { retention } from './0007-retention.js';
import { audit } from './0008-audit.js';
import { conversationBytes } from './0009-conversation-bytes.js';
import { rotatedSecrets } from './0010-rotated-secrets.js';
import { choices } from './0011-choices.js';
import { shadows } from './0012-shadows.js';
import { keyToolkits } from './0013-key-toolkits.js';
import { researchNotes } from './0014-research-notes.js';
import { usagePeriods } from './0015-usage-periods.js';
import { evaluations } from './0016-evaluations.js';
import { packedPeriods } from './0017-packed-periods.js';
import { cacheSavings } from './0018-cache-savings.js';

/**
 * All migrations by name, oldest first. A released migration is never changed; add another one
 * instead.
 */
export const migrations: ReadonlyMap<string, Migration> = new Map([
  ['0001-beginning', beginning],
  ['0002-trainings', trainings],
  ['0003-learnings', learnings],
  ['0004-account-limits', accountLimits],
  ['0006-request-errors', requestErrors],
  ['0007-retention', retention],
  ['0008-audit', audit],
  ['0009-conversation-bytes', conversationBytes],
  ['0010-rotated-secrets', rotatedSecrets],
  ['0011-choices', choices],
  ['0012-shadows', shadows],
  ['0013-key-toolkits', keyToolkits],
  ['0014-research-notes', researchNotes],
  ['0015-usage-periods', usagePeriods],
  ['0016-evaluations', evaluations],
  ['0017-packed-periods', packedPeriods],
  ['0018-cache-savings', cacheSavings],
]);
