import type { Schema } from '../../api/schema.js';
import { isUsable } from '../../components/conversation/answer.js';
import type { Step, Turn } from '../../components/conversation/turn.js';
import type { PlaygroundSettings } from './settings.js';

/** A message of a request. */
export type SentMessage = Schema<'CompletionsRequestMessage'>;

/** A model beside others, with a conversation of its own. */
export interface Lane {
  /** `auto`, a label, or several candidates. */
  readonly models: readonly string[];
  readonly conversationId: string | null;
}

/** The messages of a lane up to now; turns without an answer there are left out. */
export function historyOf(turns: readonly Turn[], lane: number): SentMessage[] {
  return turns.flatMap((turn, index) => {
    const steps = turn.lanes[lane] ?? [];
    const isLast = index === turns.length - 1;
    const answered = steps.filter(({ answer }) => isUsable(answer));
    if (answered.length === 0 && !isLast) return [];
    return [messageOf(turn), ...answered.flatMap(messagesOfStep)];
  });
}

function messageOf({ text, pictures }: Turn): SentMessage {
  if (pictures.length === 0) return { role: 'user', content: text };
  return {
    role: 'user',
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...pictures.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
    ],
  };
}

function messagesOfStep({ answer, results }: Step): SentMessage[] {
  const { text, toolCalls, reasoningDetails } = answer;
  // calls without results would be refused by providers
  if (toolCalls.length === 0 || results === null)
    return text === '' ? [] : [{ role: 'assistant', content: text }];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      tool_calls: [...toolCalls],
      ...(reasoningDetails.length > 0 ? { reasoning_details: [...reasoningDetails] } : {}),
    },
    ...toolCalls.map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: results[id] ?? '',
    })),
  ];
}

/** The body of the next request of a lane. */
export function requestOf(
  turns: readonly Turn[],
  lane: number,
  { models, conversationId }: Lane,
  settings: PlaygroundSettings,
): Schema<'CompletionsRequest'> {
  const { instructions, tools, toolkits, search, research, maxTokens, stores } = settings;
  const messages = historyOf(turns, lane);
  return {
    models: [...models],
    messages:
      instructions.trim() === ''
        ? messages
        : [{ role: 'system', content: instructions }, ...messages],
    stream: true,
    explain: true,
    ...(conversationId === null ? {} : { conversationId }),
    ...(stores ? {} : { store: false }),
    ...(search === 'off' ? {} : { search: search === 'required' ? { required: true } : true }),
    ...(research === 'off' ? {} : { research: { effort: research } }),
    ...(toolkits.length > 0 && research === 'off' ? { toolkits: [...toolkits] } : {}),
    ...(tools.length > 0 && research === 'off' ? { tools: [...tools] } : {}),
    ...(maxTokens === null ? {} : { maxTokens }),
  };
}
