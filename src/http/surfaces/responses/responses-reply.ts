import type { ServerResponse } from 'node:http';
import { chunksOf } from '../../../completion-builder.js';
import type { ResponseTurn } from '../../../conversations/response-keeper.js';
import type { FinishedAnswer } from '../../../pipeline/completion-call.js';
import type { GroundingProgress } from '../../../pipeline/grounding/grounding-call.js';
import { WholeAnswer } from '../../../pipeline/whole-answer.js';
import { parseExactJson } from '../../../text/exact-json.js';
import { sendJson } from '../../send-json.js';
import type { Json } from '../../../text/is-object.js';
import { type Envelope, itemStatus } from './envelope.js';

const silent = { emit: () => undefined, delta: () => undefined };

/**
 * An answer as one response. The body of a provider with this dialect is forwarded as it is, but for
 * the ids of a turn that the gateway keeps.
 */
export class ResponsesReply extends WholeAnswer {
  override readonly dialect = 'responses';
  private response: Json | null = null;
  private readonly told: GroundingProgress[] = [];

  constructor(
    private readonly res: ServerResponse,
    private readonly turn: ResponseTurn,
    private readonly envelope: Envelope,
    /** What is sent of the response; null: all of it. */
    private readonly shape: ((response: Json) => Json) | null = null,
  ) {
    super();
  }

  progress(progress: GroundingProgress): void {
    if (this.envelope.hasSearchTool) this.told.push(progress);
  }

  async storeTurn(answer: FinishedAnswer): Promise<boolean | null> {
    const { turn, body } = this;
    if (body === null) this.response = this.translated(answer);
    else if (turn.stores || this.shape)
      this.response = this.envelope.own(parseExactJson(body.toString('utf8')) as Json);
    return turn.stores && this.response ? turn.keep(this.response) : null;
  }

  finish(): void {
    const { response, body, shape } = this;
    sendJson(this.res, 200, (response && shape ? shape(response) : response) ?? body ?? {});
    this.release();
  }

  protected override release(): void {
    super.release();
    this.response = null;
  }

  private translated(answer: FinishedAnswer): Json {
    const completion = this.completion(answer);
    const { envelope } = this;
    envelope.candidate = answer.candidate;
    const items = envelope.items(silent);
    if ('progress' in items) for (const progress of this.told) items.progress(progress);
    for (const chunk of chunksOf(completion)) items.chunk(chunk);
    items.end(itemStatus(answer.finishReason));
    return envelope.ended(completion.model, items.output, answer);
  }
}
