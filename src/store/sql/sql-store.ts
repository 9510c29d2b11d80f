import { type Kysely, sql } from 'kysely';
import { createAccountStore } from './accounts.js';
import { createAuditStore } from './audit.js';
import { createChoiceStore } from './choices.js';
import { createClaimStore } from './claims.js';
import { createConversationStore } from './conversations.js';
import { createEvaluationStore } from './evaluations.js';
import { createFeedbackStore } from './feedback.js';
import { createKeyStore } from './keys.js';
import { createLearningStore } from './learnings.js';
import { createPeriodStore } from './periods.js';
import { createPreferenceStore } from './preferences.js';
import { createRequestStore } from './requests.js';
import { createRemovalStore } from './removal.js';
import { createResearchStore } from './research.js';
import { createRetentionStore } from './retention.js';
import { readSecret } from './secrets.js';
import { createShadowStore } from './shadows.js';
import { createSelectionStore } from './selections.js';
import { createSignInStore } from './sign-ins.js';
import type { StoreTables } from './tables.js';
import { createTrainingQueue } from './training-queue.js';
import { createTrainingStore } from './trainings.js';
import type { Store } from '../contracts/store.js';

/** The store on a database with the newest schema. */
export function createSqlStore(
  database: Kysely<StoreTables>,
  kind: Store['kind'],
  backup: Store['backup'],
): Store {
  return {
    kind,
    accounts: createAccountStore(database),
    claims: createClaimStore(database),
    signIns: createSignInStore(database),
    keys: createKeyStore(database),
    conversations: createConversationStore(database),
    preferences: createPreferenceStore(database),
    evaluations: createEvaluationStore(database),
    trainings: createTrainingStore(database),
    trainingQueue: createTrainingQueue(database),
    selections: createSelectionStore(database),
    requests: createRequestStore(database),
    periods: createPeriodStore(database),
    choices: createChoiceStore(database),
    shadows: createShadowStore(database),
    research: createResearchStore(database),
    feedback: createFeedbackStore(database),
    learnings: createLearningStore(database),
    audit: createAuditStore(database),
    retention: createRetentionStore(database),
    removal: createRemovalStore(database),
    secret: (name) => readSecret(database, name),
    async ping() {
      await sql`select 1`.execute(database);
    },
    backup,
    close: () => database.destroy(),
  };
}
