import {
  type Answer,
  emptyAnswer,
  isUsable,
  type Step,
  type Turn,
} from '../../components/conversation/answer.js';
import type { Schema } from '../../api/schema.js';
import type { PlaygroundSettings } from './settings.js';

/** Where an answer stands. */
export interface Place {
  readonly turn: number;
  readonly lane: number;
  readonly step: number;
}

/** All that the playground shows of a conversation. */
export interface ConversationState {
  readonly turns: readonly Turn[];
  readonly lanes: readonly Lane[];
}

/** The maximum number of models side by side. */
export const maxLanes = 3;

/** Nothing is said yet, and the gateway chooses the model. */
export const newConversation: ConversationState = {
  turns: [],
  lanes: [{ models: ['auto'], conversationId: null }],
};

/** A new question: each lane begins an answer. */
export function withQuestion(
  state: ConversationState,
  { text, pictures }: Pick<Turn, 'text' | 'pictures'>,
): ConversationState {
  const lanes = state.lanes.map((): Step[] => [{ answer: emptyAnswer, results: null }]);
  return { ...state, turns: [...state.turns, { text, pictures, lanes }] };
}

/** The answer at a place. */
export const answerAt = ({ turns }: ConversationState, { turn, lane, step }: Place) =>
  turns[turn]?.lanes[lane]?.[step]?.answer;

/** The answer at a place, changed. */
export const withAnswer = (
  state: ConversationState,
  place: Place,
  change: (answer: Answer) => Answer,
): ConversationState =>
  withSteps(state, place, (steps) =>
    steps.map((step, index) =>
      index === place.step ? { ...step, answer: change(step.answer) } : step,
    ),
  );

/** The results of the tools that an answer called: the next answer begins. */
export const withResults = (
  state: ConversationState,
  place: Place,
  results: Readonly<Record<string, string>>,
): ConversationState =>
  withSteps(state, place, (steps) => [
    ...steps.map((step, index) => (index === place.step ? { ...step, results } : step)),
    { answer: emptyAnswer, results: null },
  ]);

/**
 * Without an answer and all that came after it: it is asked for again. What was answered stays in
 * its stored conversation, and a new one begins.
 */
export function withAnswerAgain(state: ConversationState, place: Place) {
  const { turn, step } = place;
  const isBranch = turn < state.turns.length - 1 || answerAt(state, place)?.state === 'done';
  const kept = { ...state, turns: state.turns.slice(0, turn + 1) };
  return withSteps(isBranch ? withNewConversations(kept) : kept, place, (steps) => [
    ...steps.slice(0, step),
    { answer: emptyAnswer, results: null },
  ]);
}

/** As it was before a turn, from where a new conversation goes on. */
export const withoutTurnsFrom = (state: ConversationState, turn: number): ConversationState =>
  withNewConversations({ ...state, turns: state.turns.slice(0, turn) });

const withNewConversations = (state: ConversationState): ConversationState => ({
  ...state,
  lanes: state.lanes.map((lane) => ({ ...lane, conversationId: null })),
});

function withSteps(
  state: ConversationState,
  { turn, lane }: Place,
  change: (steps: readonly Step[]) => readonly Step[],
): ConversationState {
  const turns = state.turns.map((one, index) =>
    index === turn
      ? { ...one, lanes: one.lanes.map((steps, at) => (at === lane ? change(steps) : steps)) }
      : one,
  );
  return { ...state, turns };
}

/** A lane, changed. */
export const withLane = (
  state: ConversationState,
  lane: number,
  changes: Partial<Lane>,
): ConversationState => ({
  ...state,
  lanes: state.lanes.map((one, index) => (index === lane ? { ...one, ...changes } : one)),
});

/** One more lane, which goes on from what the first has said. */
export function withMoreLanes(state: ConversationState, models: readonly string[]) {
  if (state.lanes.length >= maxLanes) return state;
  return {
    lanes: [...state.lanes, { models, conversationId: null }],
    turns: state.turns.map((turn) => ({ ...turn, lanes: [...turn.lanes, turn.lanes[0] ?? []] })),
  } satisfies ConversationState;
}

/** Without a lane and its answers. */
export const withoutLane = (state: ConversationState, lane: number): ConversationState => ({
  lanes: state.lanes.toSpliced(lane, 1),
  turns: state.turns.map((turn) => ({ ...turn, lanes: turn.lanes.toSpliced(lane, 1) })),
});

/**
 * Which lane's model has the least of a figure, and what the least and the most are. Null: it is not
 * known of all lanes, or they have the same.
 */
export function rangeOf({ lanes }: Pick<Turn, 'lanes'>, name: 'costUsd' | 'latency') {
  const sums = lanes.map((steps) => ({
    model: steps.map(({ answer }) => `${answer.provider}/${answer.model}`).at(-1) ?? '',
    sum: steps.reduce((sum, { answer }) => sum + (answer.figures?.[name] ?? NaN), 0),
  }));
  const [least = NaN, most = NaN] = [Math.min, Math.max].map((of) =>
    of(...sums.map(({ sum }) => sum)),
  );
  const first = sums.find(({ sum }) => sum === least);
  return first && least < most ? { model: first.model, least, most } : null;
}

/** The place of a lane's last answer. */
export function lastPlace({ turns }: ConversationState, lane: number): Place {
  const turn = turns.length - 1;
  return { turn, lane, step: (turns[turn]?.lanes[lane]?.length ?? 0) - 1 };
}

type SentMessage = Schema<'CompletionsRequestMessage'>;

/** A model beside others, with a conversation of its own. */
export interface Lane {
  /** `auto`, a label, or several candidates. */
  readonly models: readonly string[];
  readonly conversationId: string | null;
}

/** The messages of a lane up to now; turns without an answer there are left out. */
export const historyOf = (turns: readonly Turn[], lane: number): SentMessage[] =>
  turns.flatMap((turn, index) => {
    const steps = turn.lanes[lane] ?? [];
    const isLast = index === turns.length - 1;
    const answered = steps.filter(({ answer }) => isUsable(answer));
    if (answered.length === 0 && !isLast) return [];
    return [messageOf(turn), ...answered.flatMap(messagesOfStep)];
  });

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
  const { temperature, effort } = settings;
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
    ...(temperature === null ? {} : { temperature }),
    ...(effort === 'default' ? {} : { reasoning_effort: effort }),
  };
}
