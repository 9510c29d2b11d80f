import type { ChunkChoice, ChunkDelta, UrlCitation } from '../../completion.js';
import { isObject, objectsIn } from '../../text/is-object.js';
import { partsIn, textOf } from '../answer-chunks.js';
import { type FinishReason, readFinishReason } from '../finish-reason.js';
import { parseJson } from '../json.js';
import { isFound } from '../web-search/search-findings.js';
import { PartialArguments } from './partial-arguments.js';
import { GroundingReader } from './web-search.js';
import {
  type GeminiCandidate,
  type GeminiFunctionCall,
  type GeminiPart,
  type GroundingMetadata,
  type TokenLogprob,
} from './wire.js';

/** Receives a translated answer piece by piece, in order. */
export interface AnswerTarget {
  /** Whether code that Google's own tools have run is part of the text. */
  readonly showsCode: boolean;
  /** Non-empty text and nothing else. */
  text(index: number, text: string): void;
  /** Anything else. */
  choice(choice: ChunkChoice): void;
}

interface OpenCall {
  id: string | undefined;
  name: string;
  signature: string | undefined;
  args: PartialArguments;
}

/** Translates one candidate of an answer, whole or in pieces. */
export class CandidateReader {
  private fullText = '';
  private calls = 0;
  private open: OpenCall | null = null;
  private grounding: GroundingMetadata | null = null;
  private readonly found = new GroundingReader();
  private reason: string | null = null;

  /** @param callId the id of a call for which the provider sent one, or none */
  constructor(
    private readonly index: number,
    private readonly target: AnswerTarget,
    private readonly callId: (given: unknown) => string,
  ) {}

  /** True once the provider has sent a finish reason. */
  get finished(): boolean {
    return this.reason !== null;
  }

  /** Reads the candidate, or a stream's next piece of it. */
  read(candidate: GeminiCandidate): void {
    if (candidate.logprobsResult) this.emit({}, { logprobs: logprobsOf(candidate.logprobsResult) });
    for (const part of partsIn<GeminiPart>(candidate.content?.parts)) this.part(part);
    if (candidate.groundingMetadata) this.ground(candidate.groundingMetadata);
    if (candidate.finishReason) this.reason = candidate.finishReason;
  }

  /** How many searches Google charges for. */
  searches(model: string): number {
    return this.found.searches(model);
  }

  private ground(metadata: GroundingMetadata): void {
    if (metadata.groundingChunks) this.grounding = metadata;
    const found = this.found.read(metadata);
    if (isFound(found)) this.emit(found);
  }

  /** Emits what is only known at the end. @throws GatewayError as `readFinishReason` */
  finish(provider: string): FinishReason {
    this.closeCall();
    if (this.grounding) {
      const annotations = citationsOf(this.grounding, this.fullText);
      if (annotations.length > 0) this.emit({ annotations });
    }
    const finish = readFinishReason(provider, this.reason, this.calls > 0);
    const reason = finish.reason ?? (this.calls > 0 ? 'tool_calls' : 'stop');
    this.emit({}, { finish_reason: reason });
    return { ...finish, reason };
  }

  private part(part: GeminiPart): void {
    const text = textOf(part.text);
    if (part.functionCall) {
      this.call(part.functionCall, part.thoughtSignature);
      return;
    }
    if (part.thought) {
      if (text) this.emit({ reasoning_content: text });
    } else if (text) this.addText(text);
    else if (part.inlineData) this.emit(mediaDelta(part.inlineData));
    else if (this.target.showsCode) this.code(part);
    if (part.thoughtSignature)
      this.emit({ extra_content: { google: { thought_signature: part.thoughtSignature } } });
  }

  private code({ executableCode: ran, codeExecutionResult: result }: GeminiPart): void {
    if (ran) this.addText(codeBlock(ran.language?.toLowerCase() ?? '', ran.code));
    else if (result) this.addText(codeBlock('', result.output));
  }

  private addText(text: string): void {
    this.fullText += text;
    this.target.text(this.index, text);
  }

  /**
   * A call arrives whole or, where Vertex streams arguments, in parts: the first has the name, and
   * the last lacks `willContinue`.
   */
  private call(call: GeminiFunctionCall, signature: string | undefined): void {
    if (call.name || !this.open) {
      this.closeCall();
      if (!call.name) return;
      this.open = { id: call.id, name: call.name, signature, args: new PartialArguments() };
    }
    const args: unknown = typeof call.args === 'string' ? parseJson(call.args) : call.args;
    if (isObject(args)) this.open.args.merge(args);
    if (call.partialArgs) this.open.args.add(objectsIn(call.partialArgs));
    if (!call.willContinue) this.closeCall();
  }

  private closeCall(): void {
    if (!this.open) return;
    const { id, name, signature, args } = this.open;
    this.open = null;
    this.emit({
      tool_calls: [
        {
          index: this.calls++,
          id: this.callId(id),
          type: 'function',
          function: { name, arguments: args.toJson() },
          // the name that Google's own OpenAI-compatible endpoint uses, so that clients send it
          // back
          ...(signature === undefined
            ? {}
            : { extra_content: { google: { thought_signature: signature } } }),
        },
      ],
    });
  }

  private emit(delta: ChunkDelta, rest: Partial<ChunkChoice> = {}): void {
    this.target.choice({ index: this.index, delta, ...rest });
  }
}

function mediaDelta(media: { mimeType?: string; data?: string }): ChunkDelta {
  const type = media.mimeType ?? 'image/png';
  if (type.startsWith('audio/'))
    return { audio: { data: media.data ?? '', format: type.slice('audio/'.length) } };
  return {
    images: [{ type: 'image_url', image_url: { url: `data:${type};base64,${media.data ?? ''}` } }],
  };
}

const codeBlock = (language: string, code = ''): string =>
  `\n\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n`;

function logprobsOf(result: NonNullable<GeminiCandidate['logprobsResult']>): unknown {
  const entry = ({ token = '', logProbability = 0 }: TokenLogprob): Record<string, unknown> => ({
    token,
    logprob: logProbability,
    bytes: [...Buffer.from(token)],
  });
  return {
    content: objectsIn(result.chosenCandidates).map((chosen, position) => ({
      ...entry(chosen),
      top_logprobs: objectsIn(result.topCandidates?.[position]?.candidates).map(entry),
    })),
  };
}

type Segment = NonNullable<NonNullable<GroundingMetadata['groundingSupports']>[number]['segment']>;

/**
 * The sources of a grounded answer: one citation for each passage and source, with character
 * offsets where the passage occurs in `text`; then the sources that no passage refers to.
 */
function citationsOf(grounding: GroundingMetadata, text: string): UrlCitation[] {
  const sources = objectsIn(grounding.groundingChunks).map((chunk) => {
    const source = chunk.web ?? chunk.retrievedContext ?? chunk.maps ?? {};
    return {
      // file search has a store in place of an address
      url: source.uri ?? source.fileSearchStore ?? '',
      ...(source.title === undefined ? {} : { title: source.title }),
      ...(source.text === undefined ? {} : { content: source.text }),
    };
  });
  const bytes = Buffer.from(text);
  const cited = new Set<number>();
  const citations: UrlCitation[] = [];
  for (const { segment, groundingChunkIndices } of objectsIn(grounding.groundingSupports)) {
    const place = segment ? placeOf(segment, text, bytes) : {};
    for (const index of groundingChunkIndices ?? []) {
      const source = sources[index];
      if (typeof source?.url !== 'string' || !source.url) continue;
      cited.add(index);
      citations.push({ type: 'url_citation', url_citation: { ...source, ...place } });
    }
  }
  for (const [index, source] of sources.entries()) {
    if (typeof source.url === 'string' && source.url && !cited.has(index))
      citations.push({ type: 'url_citation', url_citation: source });
  }
  return citations;
}

/** Google counts bytes of UTF-8; OpenAI's dialect counts characters. */
function placeOf(
  segment: Segment,
  text: string,
  bytes: Buffer,
): { start_index?: number; end_index?: number } {
  const passage =
    segment.text ?? bytes.subarray(segment.startIndex ?? 0, segment.endIndex ?? 0).toString();
  if (passage === '') return {};
  const counted = bytes.subarray(0, segment.startIndex ?? 0).toString().length;
  const start = text.startsWith(passage, counted) ? counted : text.indexOf(passage);
  return start === -1 ? {} : { start_index: start, end_index: start + passage.length };
}
