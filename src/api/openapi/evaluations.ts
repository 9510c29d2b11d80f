import { queryParameter, resourcePath } from './operations.js';

const scores = { 'demo/demo-large': 1, 'demo/demo-small': 0.5 };

/** The evaluation set of an account. */
export function evaluationPaths(): object {
  return {
    ...resourcePath('Preferences', '/api/v1/evaluations', {
      get: {
        id: 'listEvaluations',
        summary: 'List the evaluation set, newest first',
        description:
          'Lists show the beginnings of the prompts. With `format=csv` the whole set comes as the CSV that trainings take.',
        parameters: [queryParameter('format', '`json` or `csv`.')],
        response: 'evaluation.response',
        isList: true,
        scope: 'admin',
      },
      post: {
        id: 'createEvaluation',
        summary: 'Add a prompt or a request to the evaluation set',
        description:
          'Of a request it takes the last turn of the user, if its content is stored, and the cost of the answer. A request that is in the set already gets the new figures. A set has at most 5,000 prompts.',
        request: 'evaluation.request',
        example: { prompt: 'Why is the sky blue?', scores },
        response: 'evaluation.response',
        status: 201,
        scope: 'admin',
        errors: { 404: 'There is no such request.', 409: 'The set is full.' },
      },
    }),
    ...resourcePath('Preferences', '/api/v1/evaluations/{id}', {
      get: {
        id: 'getEvaluation',
        summary: 'One prompt with its scores',
        response: 'evaluation.response',
        scope: 'admin',
      },
      patch: {
        id: 'updateEvaluation',
        summary: 'Change scores',
        description: 'Scores that are not named stay as they are; null takes one away.',
        request: 'evaluation-change.request',
        example: { scores },
        response: 'evaluation.response',
        scope: 'admin',
      },
      delete: {
        id: 'deleteEvaluation',
        summary: 'Delete a prompt from the evaluation set',
        scope: 'admin',
      },
    }),
  };
}
