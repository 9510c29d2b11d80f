import { resourcePath } from './parts.js';

/** Preferences, and the training of a preference's own router. */
export function preferencePaths(): object {
  const change = {
    summary: 'Change a preference',
    request: 'preference.request',
    response: 'preference.response',
  };
  return {
    ...resourcePath('/api/v1/preferences', {
      get: {
        summary: "List the account's preferences, newest first",
        response: 'preference.response',
        isList: true,
      },
      post: {
        summary: 'Create a preference',
        request: 'preference.request',
        response: 'preference.response',
        status: 201,
      },
    }),
    ...resourcePath('/api/v1/preferences/{id}', {
      get: { summary: 'One preference', response: 'preference.response' },
      patch: change,
      put: change,
      delete: { summary: 'Delete a preference' },
    }),
    ...trainingPath(),
  };
}

function trainingPath(): object {
  return resourcePath('/api/v1/preferences/{id}/training', {
    get: {
      summary: "The last training of the preference's own router",
      response: 'training.response',
    },
    post: {
      summary:
        "Train the preference's own router from evaluations: JSON, `text/csv`, `application/x-ndjson`, or a form with a `file`",
      request: 'training.request',
      response: 'training.response',
      status: 202,
    },
    delete: { summary: 'Delete the trained router' },
  });
}
