import type { Described } from '../endpoint.js';
import { queryParameter, resourcePath } from './operations.js';

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
    ...previewPath(),
    ...trainingPath(),
  };
}

function previewPath(): object {
  return resourcePath('Preferences', '/api/v1/preferences/preview', {
    post: {
      id: 'previewPreference',
      summary: 'Try a preference without storing it',
      description:
        'Tells which model would win, by how much and at what cost, for requests of the account, example prompts and messages, beside what wins now.',
      parameters: [
        queryParameter('explain', 'True: each item names all its candidates.', 'boolean'),
      ],
      request: 'preference-preview.request',
      example: { preference: { weights }, examples: true },
      response: 'preference-preview.response',
    },
  });
}

const trainingFields = {
  prompt_column: { type: 'string', description: 'The column of the prompts. Default: `prompt`.' },
  maximize: { type: 'string', enum: ['true', 'false'], description: 'False: lower is better.' },
  mapping: {
    type: 'string',
    description:
      'JSON, a `TrainingMappingRequest`: what the columns mean, in place of what their names say.',
  },
  evaluations: {
    type: 'string',
    enum: ['true', 'false'],
    description: 'True: the evaluation set counts too, or alone without a file.',
  },
};

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
          schema: { type: 'object', properties: { file, ...trainingFields } },
        },
      },
      response: 'training.response',
      status: 202,
      parameters: [
        queryParameter('evaluations', 'As in the form, for other bodies than JSON.', 'boolean'),
        queryParameter('mapping', 'As in the form.'),
      ],
      errors: { 409: 'Another training of this account has not ended.' },
    },
    delete: { id: 'deleteTraining', summary: 'Delete the trained router' },
  });
}
