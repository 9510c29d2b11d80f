import { type Acceptance, type Rule, valuesIn } from '../acceptance.js';
import { userBegins, userEnds } from './turns.js';

type Part = Readonly<Record<string, unknown>>;
interface Content {
  readonly role: string;
  readonly parts: readonly Part[];
}
type Body = Parameters<Rule['find']>[0]['body'];

const contentsOf = ({ contents }: Body): readonly Content[] => contents as readonly Content[];
const configOf = ({ generationConfig = {} }: Body): Part => generationConfig as Part;
const countOf = (content: Content | undefined, kind: string): number =>
  (content?.parts ?? []).filter((part) => kind in part).length;

const issues = 'https://github.com';
const reference = 'https://ai.google.dev/api/generate-content';
const topFields = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'],
  ...['safetySettings', 'cachedContent', 'labels'],
]);
const partFields = new Set([
  ...['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'thoughtSignature'],
]);

const rules: readonly Rule[] = [
  userBegins(
    contentsOf,
    'Please ensure that function call turn comes immediately after a user turn',
    `${issues}/archestra-ai/archestra/pull/6258`,
  ),
  userEnds(
    contentsOf,
    'Please ensure that multiturn requests end with a user role',
    `${issues}/crewAIInc/crewAI/pull/6973`,
  ),
  {
    refuses: 'Invalid JSON payload received. Unknown name',
    source: reference,
    find: ({ body }) => [
      ...Object.keys(body).filter((field) => !topFields.has(field)),
      ...contentsOf(body)
        .flatMap(({ parts }) => parts)
        .flatMap((part) => Object.keys(part).filter((field) => !partFields.has(field))),
    ],
  },
  {
    refuses: 'Unable to submit request because it has an empty text parameter',
    source: `${issues}/google-gemini/deprecated-generative-ai-python/issues/697`,
    find: ({ body }) =>
      contentsOf(body).flatMap(({ parts }, index) =>
        parts.length === 0 || parts.some(({ text }) => text === '') ? [`contents[${index}]`] : [],
      ),
  },
  {
    refuses:
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn',
    source: `${issues}/google-gemini/gemini-cli/issues/15568`,
    find: ({ body }) =>
      contentsOf(body).flatMap((content, index, all) => {
        const made = countOf(content, 'functionCall');
        return made > 0 && made !== countOf(all[index + 1], 'functionResponse')
          ? [`contents[${index}]`]
          : [];
      }),
  },
  {
    refuses: 'function call turn comes immediately after a user turn or a function response turn',
    source: `${issues}/google-gemini/gemini-cli/issues/26486`,
    find: ({ body }) =>
      contentsOf(body).flatMap((content, index, all) =>
        countOf(content, 'functionCall') > 0 && all[index - 1]?.role !== 'user'
          ? [`contents[${index}]`]
          : [],
      ),
  },
  {
    refuses: 'Function call is missing a thought_signature',
    source: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
    models: /gemini-[34]/,
    find: ({ body }) =>
      contentsOf(body).flatMap(({ parts }, index) => {
        const first = parts.find((part) => 'functionCall' in part);
        return first && !first['thoughtSignature'] ? [`contents[${index}]`] : [];
      }),
  },
  {
    refuses: 'The referenced name in function_response.response does not match to a display_name',
    source: `${issues}/vercel/ai/issues/14369`,
    find: ({ body }) =>
      contentsOf(body)
        .flatMap(({ parts }) => parts)
        .flatMap(({ functionResponse }) => [...valuesIn(functionResponse)])
        .map(([place]) => place)
        .filter((place) => /\$(ref|defs)/.test(place)),
  },
  {
    refuses: 'a long number, which it reads as a floating-point one, in a result',
    source: 'https://protobuf.dev/reference/protobuf/google.protobuf/#struct',
    find: ({ body }) =>
      contentsOf(body)
        .flatMap(({ parts }) => parts)
        .flatMap(({ functionResponse }) => [...valuesIn(functionResponse)])
        .filter(([, value]) => typeof value === 'number' && !Number.isSafeInteger(value))
        .map(([place]) => place),
  },
  {
    refuses: "Invalid value at 'generation_config.seed' (TYPE_INT32)",
    source: `${issues}/pollinations/pollinations/pull/6867`,
    find: ({ body }) => {
      const { seed } = configOf(body);
      return typeof seed === 'number' && seed !== (seed | 0) ? [`seed ${seed}`] : [];
    },
  },
  {
    refuses: "Function calling with a response mime type: 'application/json' is unsupported",
    source: `${issues}/googleapis/python-genai/issues/867`,
    models: /gemini-2/,
    find: ({ body }) =>
      body['tools'] && configOf(body)['responseMimeType'] ? ['responseMimeType'] : [],
  },
  {
    refuses: 'it has a stopSequences value whose supported range is from 1 to 6 (exclusive)',
    source: `${issues}/continuedev/continue/issues/7849`,
    find: ({ body }) => {
      const { stopSequences = [] } = configOf(body) as { stopSequences?: string[] };
      return stopSequences.length > 5 || stopSequences.includes('') ? ['stopSequences'] : [];
    },
  },
  {
    refuses: 'penalties, several candidates and the level minimal',
    source: 'https://ai.google.dev/gemini-api/docs/generate-content/latest-model',
    models: /gemini-4/,
    find: ({ body }) => {
      const {
        presencePenalty,
        frequencyPenalty,
        candidateCount = 1,
        thinkingConfig,
      } = configOf(body);
      const minimal = (thinkingConfig as Part | undefined)?.['thinkingLevel'] === 'minimal';
      const isRefused = presencePenalty !== undefined || frequencyPenalty !== undefined || minimal;
      return isRefused || candidateCount !== 1 ? ['generationConfig'] : [];
    },
  },
];

/** Gemini and Vertex AI. */
export const gemini: Acceptance = {
  models: ['gemini-2.5-flash', 'gemini-3-pro-preview', 'gemini-4-argon'],
  // results are matched by name and order; ids are optional
  callIds: () => [],
  rules,
};
