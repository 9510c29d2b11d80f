import { type Kysely, sql } from 'kysely';
import { createAccountStore } from './sql/accounts.js';
import { createConversationStore } from './sql/conversations.js';
import { createFeedbackStore } from './sql/feedback.js';
import { createKeyStore } from './sql/keys.js';
import { createLearningStore } from './sql/learnings.js';
import { createPreferenceStore } from './sql/preferences.js';
import { createRequestStore } from './sql/requests.js';
import { readSecret } from './sql/secrets.js';
import { createSelectionStore } from './sql/selections.js';
import { createSignInStore } from './sql/sign-ins.js';
import type { Tables } from './sql/tables.js';
import { createTrainingQueue } from './sql/training-queue.js';
import { createTrainingStore } from './sql/trainings.js';
import type { Store } from './store.js';

/** The store on a database whose schema is the newest. */
export function createSqlStore(
  database: Kysely<Tables>,
  kind: Store['kind'],
  backup: Store['backup'],
): Store {
  return {
    kind,
    accounts: createAccountStore(database),
    signIns: createSignInStore(database),
    keys: createKeyStore(database),
    conversations: createConversationStore(database),
    preferences: createPreferenceStore(database),
    trainings: createTrainingStore(database),
    trainingQueue: createTrainingQueue(database),
    selections: createSelectionStore(database),
    requests: createRequestStore(database),
    feedback: createFeedbackStore(database),
    learnings: createLearningStore(database),
    secret: (name) => readSecret(database, name),
    async ping() {
      await sql`select 1`.execute(database);
    },
    backup,
    close: () => database.destroy(),
  };
}
