import { type Described, resourcePath } from './operations.js';

const weights = { quality: 3, cost: 1, latency: 1 };

/** Preferences, and the training of a preference's own router. */
export function preferencePaths(): object {
  const change = {
    summary: 'Change a preference',
    request: 'preference.request',
    example: { weights },
    response: 'preference.response',
  } satisfies Omit<Described, 'id'>;
  return {
    ...resourcePath('Preferences', '/api/v1/preferences', {
      get: {
        id: 'listPreferences',
        summary: "List the account's preferences, newest first",
        response: 'preference.response',
        isList: true,
      },
      post: {
        id: 'createPreference',
        summary: 'Create a preference',
        request: 'preference.request',
        example: { name: 'support', weights, exclude: ['demo/*'] },
        response: 'preference.response',
        status: 201,
      },
    }),
    ...resourcePath('Preferences', '/api/v1/preferences/{id}', {
      get: { id: 'getPreference', summary: 'One preference', response: 'preference.response' },
      patch: { ...change, id: 'updatePreference' },
      put: {
        ...change,
        id: 'replacePreference',
        summary: 'Change a preference with PUT',
        description: 'The same as PATCH.',
      },
      delete: { id: 'deletePreference', summary: 'Delete a preference' },
    }),
    ...trainingPath(),
  };
}

function trainingPath(): object {
  const file = { type: 'string', format: 'binary', description: 'CSV or newline-delimited JSON.' };
  return resourcePath('Preferences', '/api/v1/preferences/{id}/training', {
    get: {
      id: 'getTraining',
      summary: "The last training of the preference's own router",
      response: 'training.response',
    },
    post: {
      id: 'trainPreference',
      summary: "Train the preference's own router from evaluations",
      description:
        'Evaluations are scores of the answers of several models to the same prompts: JSON, CSV with a column `prompt` and a column for each model, newline-delimited JSON, or a form with a `file`. The training runs in the background.',
      request: 'training.request',
      otherBodies: {
        'text/csv': { schema: { type: 'string' } },
        'application/x-ndjson': { schema: { type: 'string' } },
        'multipart/form-data': {
          schema: { type: 'object', required: ['file'], properties: { file } },
        },
      },
      response: 'training.response',
      status: 202,
      errors: { 409: 'Another training of this account has not ended.' },
    },
    delete: { id: 'deleteTraining', summary: 'Delete the trained router' },
  });
}
