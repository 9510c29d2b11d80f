import { randomUUID } from 'node:crypto';
import type { Candidate } from '../../chooser/plan.js';
import type { ChunkChoice, CompletionChunk } from '../../completion.js';
import type { FinishedAnswer } from '../../pipeline/completion-call.js';
import { asPlain } from './foreign-words.js';
import { openAIErrors } from './openai-error.js';
import { openai, OpenAIReply, type RunRequest } from './openai.js';
import { OpenAIStream } from './openai-stream.js';
import { byteJson } from './streamed-answer.js';
import type { CompletionSurface } from './surface.js';

/** What its schema leaves of the fields that chat completions do not have, or have otherwise. */
interface TextRequest extends Omit<RunRequest, 'messages'> {
  prompt: string | [string];
  logprobs?: number | null;
  suffix?: '' | null;
  echo?: false | null;
  best_of?: number | null;
}

/**
 * OpenAI's older text completions, for clients that know no others: the prompt is answered as the
 * only message of a chat, by any model.
 */
export const textCompletions: CompletionSurface = {
  ...openAIErrors('text_completions'),
  router: 'openai',
  path: '/v1/completions',
  schema: 'text-completions',
  described: {
    id: 'createTextCompletion',
    summary: "Answer a prompt, in OpenAI's older shape",
    description:
      'For clients without chat completions. The prompt is answered as one message of a user; `suffix`, `echo`, `best_of`, several prompts and prompts of tokens are refused.',
    example: { model: 'auto', prompt: 'Why is the sky blue?' },
    answer: "OpenAI's text completion, or its chunks.",
    notFound: 'The model does not exist.',
    errorSchema: 'openai-error',
  },
  adapt: asPlain,
  readCall(parsed) {
    const {
      prompt,
      logprobs,
      suffix: _suffix,
      echo: _echo,
      best_of: _bestOf,
      ...rest
    } = parsed as TextRequest;
    const [content = ''] = [prompt].flat();
    const likeliest = logprobs ? { top_logprobs: logprobs } : {};
    return openai.readCall({
      ...rest,
      messages: [{ role: 'user', content }],
      ...(typeof logprobs === 'number' ? { logprobs: true, ...likeliest } : {}),
    });
  },
  writer({ res, call, stream }) {
    return stream
      ? new TextStream(stream, call.chat.stream_options?.include_usage === true)
      : new TextReply(res);
  },
};

const envelopeOf = (model: string, created?: number) => ({
  id: `cmpl-${randomUUID()}`,
  object: 'text_completion',
  created: created ?? Math.floor(Date.now() / 1000),
  model,
});

/** An answer as one text completion. */
class TextReply extends OpenAIReply {
  protected override shown(answer: FinishedAnswer): object {
    const { model, created, choices, usage } = this.completion(answer);
    return {
      ...envelopeOf(model, created),
      choices: choices.map(({ index, message, logprobs, finish_reason }) => ({
        index,
        text: message.content ?? message.refusal ?? '',
        logprobs: textLogprobs(logprobs, 0),
        finish_reason,
      })),
      usage,
    };
  }
}

/** An answer as chunks of a text completion. */
class TextStream extends OpenAIStream {
  /** The length of what was sent of each choice. */
  private readonly lengths = new Map<number, number>();

  override begin({ model }: Candidate): void {
    this.envelope = envelopeOf(model);
    this.head = `${byteJson(this.envelope).slice(0, -1)},"choices":[{"index":0,"text":"`;
  }

  override text(escaped: string): void {
    this.stream.data(`${this.head}${escaped}","logprobs":null,"finish_reason":null}]}`);
  }

  override chunk({ choices }: CompletionChunk): void {
    const said = choices.filter(
      ({ delta, finish_reason }) => delta.content || delta.refusal || finish_reason,
    );
    if (said.length > 0) this.send({ choices: said.map((choice) => this.textChoice(choice)) });
  }

  protected override lastChoice(finish_reason: string): object {
    return { index: 0, text: '', logprobs: null, finish_reason };
  }

  private textChoice({ index, delta, logprobs, finish_reason = null }: ChunkChoice): object {
    const text = delta.content ?? delta.refusal ?? '';
    const offset = this.lengths.get(index) ?? 0;
    this.lengths.set(index, offset + text.length);
    if (finish_reason !== null) this.finishSent = true;
    return { index, text, logprobs: textLogprobs(logprobs, offset), finish_reason };
  }
}

interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly top_logprobs?: readonly TokenLogprob[];
}

/**
 * The probabilities of a choice in the older shape: a list for each figure.
 * @param offset the length of the text before
 */
function textLogprobs(chat: unknown, offset: number): object | null {
  const content = (chat as { content?: readonly TokenLogprob[] | null } | null | undefined)
    ?.content;
  if (!content) return null;
  let end = offset;
  return {
    tokens: content.map(({ token }) => token),
    token_logprobs: content.map(({ logprob }) => logprob),
    top_logprobs: content.map(({ top_logprobs = [] }) =>
      Object.fromEntries(top_logprobs.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: content.map(({ token }) => (end += token.length) - token.length),
  };
}
