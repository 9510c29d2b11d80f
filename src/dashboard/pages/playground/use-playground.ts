import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import {
  type Answer,
  isOpen,
  type Rating,
  type Turn,
} from '../../components/conversation/answer.js';
import {
  answerAt,
  type ConversationState,
  lastPlace,
  newConversation,
  type Place,
  requestOf,
  withAnswer,
  withAnswerAgain,
  withLane,
  withQuestion,
  withoutTurnsFrom,
  withResults,
} from './conversation-state.js';
import { keepForReload } from '../../components/draft.js';
import { runAnswer, stopped } from './run-answer.js';
import type { PlaygroundSettings } from './settings.js';
import { api } from '../../api/client.js';
import { useMay } from '../../session/session.js';

/** What the page can do with its conversation. */
export interface Playground extends ConversationState {
  readonly isBusy: boolean;
  ask(question: Pick<Turn, 'text' | 'pictures'>): void;
  answerCalls(place: Place, results: Readonly<Record<string, string>>): void;
  /** Asks again for an answer; what came after it is gone. */
  again(place: Place): void;
  /** Asks another question in place of one; what came after it is gone. */
  edit(turn: number, question: Pick<Turn, 'text' | 'pictures'>): void;
  stop(): void;
  rate(place: Place, rating: Exclude<Rating, null>): Promise<void>;
  change(change: (state: ConversationState) => ConversationState): void;
}

/** A conversation whose answers are streamed into the page. */
export function usePlayground(
  settings: PlaygroundSettings,
  begin: ConversationState = newConversation,
): Playground {
  const { state, change, run, stop } = useRunning(settings, begin);
  const ask: Playground['ask'] = (question) => {
    const asked = change((now) => withQuestion(now, question));
    asked.lanes.forEach((_, lane) => run(lastPlace(asked, lane)));
  };
  return {
    ...state,
    isBusy: hasOpenAnswer(state),
    change: (how) => void change(how),
    stop,
    ask,
    edit(turn, question) {
      change((now) => withoutTurnsFrom(now, turn));
      ask(question);
    },
    answerCalls(place, results) {
      const answered = change((now) => withResults(now, place, results));
      run(lastPlace(answered, place.lane));
    },
    again(place) {
      change((now) => withAnswerAgain(now, place));
      run(place);
    },
    async rate(place, rating) {
      const responseId = answerAt(state, place)?.responseId;
      if (!responseId) return;
      // the gateway's router learns from it
      const body = { response_id: responseId, score: rating === 'good' ? 1 : 0 };
      await api.POST('/api/v1/feedback', { body });
      change((now) => withAnswer(now, place, (one) => ({ ...one, rating })));
    },
  };
}

/** The conversation, and the answers that are being streamed into it. */
function useRunning(settings: PlaygroundSettings, begin: ConversationState) {
  const mayReadRequests = useMay()('admin');
  const [state, setState] = useState(begin);
  // answers grow between two renderings
  const current = useRef(begin);
  const running = useRef(new Set<AbortController>());
  const change = (how: (now: ConversationState) => ConversationState): ConversationState => {
    current.current = how(current.current);
    setState(current.current);
    return current.current;
  };
  const stop = (): void => running.current.forEach((one) => one.abort(stopped));
  const run = (place: Place, resumed: string | null = null): void => {
    const { turns, lanes } = current.current;
    const lane = lanes[place.lane];
    if (!lane) return;
    const controller = new AbortController();
    running.current.add(controller);
    const grow = (how: (answer: Answer) => Answer): void =>
      void change((now) => withAnswer(now, place, how));
    const joined = (conversationId: string): void =>
      void change((now) => withLane(now, place.lane, { conversationId }));
    const asked =
      resumed === null ? { body: requestOf(turns, place.lane, lane, settings) } : { resumed };
    const watcher = { grow, joined, mayReadRequests };
    void runAnswer(asked, watcher, controller.signal).finally(() =>
      running.current.delete(controller),
    );
  };
  const resume = useEffectEvent(() => {
    begin.lanes.forEach((_, lane) => {
      const place = lastPlace(begin, lane);
      const answer = answerAt(begin, place);
      if (!answer || !isOpen(answer)) return;
      if (answer.responseId !== null) run(place, answer.responseId);
      else change((now) => withAnswer(now, place, (one) => ({ ...one, state: 'stopped' })));
    });
  });
  useEffect(() => {
    const controllers = running.current;
    resume();
    return () => controllers.forEach((one) => one.abort());
  }, []);
  useWindowEvent('pagehide', () =>
    keepForReload(hasOpenAnswer(current.current) ? { state: current.current, settings } : null),
  );
  return { state, change, run, stop };
}

const hasOpenAnswer = ({ turns }: ConversationState): boolean =>
  turns.at(-1)?.lanes.some((steps) => steps.some(({ answer }) => isOpen(answer))) ?? false;
