import type { UpstreamRequest } from '../../../src/providers/adapter.js';

/** A request as a provider gets it. */
export interface Sent {
  readonly url: string;
  /** The model that was asked for, which some dialects have in the URL. */
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as text: long numbers have their digits, and escapes are seen. */
  readonly text: string;
}

/** One thing that a provider refuses in a request. */
export interface Rule {
  /** What it refuses, in the provider's words where they are known. */
  readonly refuses: string;
  /** A public page or thread that says so. */
  readonly source: string;
  /** Matches the models that refuse it; absent: each. */
  readonly models?: RegExp;
  /** The places of a request that break the rule, such as `messages[2].role`. */
  find(sent: Sent): readonly string[];
}

/** What a provider accepts, as its documentation and its users report it. */
export interface Acceptance {
  /** The models that are asked: one at least of each family with rules of its own. */
  readonly models: readonly string[];
  readonly rules: readonly Rule[];
  /** The ids of calls and results in a body, in its order; none where they are matched otherwise. */
  readonly callIds: (body: Sent['body']) => readonly CallOrResult[];
  /** Conversations (names in conversations.ts) that fail today; a test fails when one does not. */
  readonly open?: readonly string[];
}

/** The id of a call or of a tool's result. */
export type CallOrResult = readonly [kind: 'call' | 'result', id: unknown];

/** @throws if the body is not JSON */
export function sentOf(request: UpstreamRequest, model: string): Sent {
  const text = request.body.toString();
  return { url: request.url, model, text, body: JSON.parse(text) as Sent['body'] };
}

/** Why a provider would refuse a request, with places; empty: it accepts it. */
export function refusals({ rules, callIds }: Acceptance, sent: Sent): string[] {
  const broken = [...ofAll, ...rules]
    .filter(({ models }) => models?.test(sent.model) ?? true)
    .flatMap(({ refuses, find }) => find(sent).map((place) => `${place}: ${refuses}`));
  return [...broken, ...unpaired(callIds(sent.body))];
}

/** Every provider matches the results of tools with calls before them, one for each. */
function unpaired(ids: readonly CallOrResult[]): string[] {
  const open: unknown[] = [];
  const wrong: string[] = [];
  for (const [kind, id] of ids) {
    const at = open.indexOf(id);
    if (typeof id !== 'string' || id === '') wrong.push(`a ${kind} without an id`);
    else if (kind === 'call') open.push(id);
    else if (at === -1) wrong.push(`a result of "${id}", which no call before it has`);
    else open.splice(at, 1);
  }
  return [...wrong, ...open.map((id) => `a call "${String(id)}" without a result`)];
}

/** A value, and every value in it, with its place: `messages[0].content[1].type`. */
export function* valuesIn(value: unknown, place = ''): Generator<[place: string, value: unknown]> {
  yield [place, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const below = Array.isArray(value) ? `[${key}]` : place === '' ? key : `.${key}`;
    yield* valuesIn(inner, place + below);
  }
}

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A rule of every parser that is stricter than JavaScript's. */
const wellFormed: Rule = {
  refuses: 'no low surrogate in string',
  source: 'https://github.com/anthropics/claude-code/issues/1832',
  find: ({ body }) =>
    [...valuesIn(body)]
      .filter(([, value]) => typeof value === 'string' && loneSurrogate.test(value))
      .map(([place]) => place),
};

const imageUrl = /^(https?:|s3:|data:image\/(png|jpeg|gif|webp);base64,[\w+/]+=*$)/;
const imageType = /^(image\/)?(png|jpeg|gif|webp)$/;
type Fields = Readonly<Record<string, unknown>>;

/** The address of an image, or its type where its bytes stand beside it; undefined: no image. */
function stated(value: unknown): { url?: unknown; type?: unknown } | undefined {
  const { type, image_url: given, source, inlineData, image } = (value ?? {}) as Fields;
  if (type === 'image_url' || type === 'input_image')
    return { url: (given as Fields | undefined)?.['url'] ?? given };
  const bytes = [inlineData, image, type === 'image' ? source : undefined].find(Boolean) as
    Fields | undefined;
  if (!bytes || bytes['url'] !== undefined) return undefined;
  return { type: bytes['mimeType'] ?? bytes['media_type'] ?? bytes['format'] };
}

/** Images have an address, or bytes of a type that all models with eyes read, in one form. */
const plainImages: Rule = {
  refuses: 'Expected a base64-encoded data URL with an image MIME type',
  source: 'https://github.com/anomalyco/opencode/issues/23983',
  find: ({ body }) =>
    [...valuesIn(body)]
      .filter(([, value]) => {
        const image = stated(value);
        if (!image) return false;
        return 'url' in image
          ? !imageUrl.test(String(image.url))
          : !imageType.test(String(image.type));
      })
      .map(([place]) => place),
};

/** Calls and thinking may stand alone, but nothing is said by an empty list. */
const noEmptyContent: Rule = {
  refuses: "[] is too short - 'messages.0.content'",
  source: 'https://platform.openai.com/docs/api-reference/chat/create',
  find: ({ body }) =>
    [...valuesIn(body)]
      .filter(
        ([place, value]) =>
          /\.(content|parts|output)$/.test(place) && Array.isArray(value) && value.length === 0,
      )
      .map(([place]) => place),
};

/** What every provider refuses. */
const ofAll: readonly Rule[] = [wellFormed, plainImages, noEmptyContent];
