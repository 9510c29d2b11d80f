import { type Answer, emptyAnswer } from '../../components/conversation/answer.js';
import type { Step, Turn } from '../../components/conversation/turn.js';
import type { Lane } from './lane-requests.js';

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

/** At most so many models side by side. */
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
  lanes: state.lanes.filter((_, index) => index !== lane),
  turns: state.turns.map((turn) => ({
    ...turn,
    lanes: turn.lanes.filter((_, index) => index !== lane),
  })),
});

/** The place of a lane's last answer. */
export function lastPlace({ turns }: ConversationState, lane: number): Place {
  const turn = turns.length - 1;
  return { turn, lane, step: (turns[turn]?.lanes[lane]?.length ?? 0) - 1 };
}
