import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createAccountStore } from './accounts/accounts.js';
import { createAlertStore } from './accounts/alerts.js';
import { createAuditStore } from './accounts/audit.js';
import { createChoiceStore } from './choices/choices.js';
import { addSecret, createClaimStore, findSecret } from './accounts/claims.js';
import { createConversationStore } from './conversations/conversations.js';
import { createEvaluationStore } from './choices/evaluations.js';
import { createFeedbackStore } from './choices/feedback.js';
import { createKeyStore } from './accounts/keys.js';
import { createLearningStore } from './choices/learnings.js';
import { createPeriodStore } from './usage/periods.js';
import { createPriceEditionStore } from './usage/price-editions.js';
import { createPreferenceStore } from './choices/preferences.js';
import { createRequestStore } from './usage/requests.js';
import { createRemovalStore, createRetentionStore } from './removal.js';
import { createResearchStore } from './conversations/research.js';
import { createResponseStore } from './conversations/responses.js';
import { createShadowStore } from './choices/shadows.js';
import { createSelectionStore } from './choices/selections.js';
import { createSignInStore } from './accounts/sign-ins.js';
import type { Database } from './tables.js';
import { createTrainingQueue } from './choices/training-queue.js';
import { createTrainingStore } from './choices/trainings.js';

/** The part of each kind of row. A new one is a line here, and so a field of `Store`. */
const partsOn = (database: Database, kind: 'libsql' | 'postgres') => ({
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
  requests: createRequestStore(database, kind),
  periods: createPeriodStore(database),
  choices: createChoiceStore(database),
  shadows: createShadowStore(database),
  research: createResearchStore(database),
  responses: createResponseStore(database),
  feedback: createFeedbackStore(database),
  learnings: createLearningStore(database),
  audit: createAuditStore(database),
  alerts: createAlertStore(database),
  priceEditions: createPriceEditionStore(database),
  retention: createRetentionStore(database),
  removal: createRemovalStore(database),
});

/** The parts of a store by name. */
export type StoreParts = Readonly<ReturnType<typeof partsOn>>;

/** The store on a database with the newest schema. */
export const createSqlStore = (
  database: Database,
  kind: 'libsql' | 'postgres',
  backup: (file: string) => Promise<void>,
) => ({
  ...partsOn(database, kind),
  kind,
  secret: (name: string) => readSecret(database, name),
  async ping(): Promise<void> {
    await sql`select 1`.execute(database);
  },
  backup,
  close: () => database.destroy(),
});

/** 32 random bytes by name; the first process that asks generates them. */
async function readSecret(database: Database, name: string): Promise<Buffer> {
  let stored = await findSecret(database, name);
  if (stored === null) {
    await addSecret(database, name, randomBytes(32).toString('hex'));
    stored = await findSecret(database, name);
  }
  return Buffer.from(stored!, 'hex');
}
