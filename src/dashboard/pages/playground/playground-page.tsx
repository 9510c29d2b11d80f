import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { instructionsOf, turnsOf } from '../../components/conversation/stored-turns.js';
import { emptyAnswer, type Step, type Turn } from '../../components/conversation/answer.js';
import { keptContentOf, keptTurns } from '../requests/kept-content.js';
import { LoadedPage } from '../../components/page.js';
import { keepForReload, readKeptForReload } from '../../components/draft.js';
import {
  readWholeConversation,
  type WholeConversation,
} from '../conversations/conversation-queries.js';
import { texts } from '../../texts/texts.js';
import { useMay } from '../../session/session.js';
import { newConversation } from './conversation-state.js';
import { type Beginning, PlaygroundView } from './playground-view.js';
import { plainSettings } from './settings.js';
import { read } from '../../api/queries.js';

/**
 * The page `/playground`; with `?conversation=<id>` a stored conversation goes on, with
 * `?request=<id>` a request of the log is repeated with another model beside.
 */
export default function PlaygroundPage() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('conversation');
  // what the page itself has begun is not read again because its id stands in the address now
  const [own, setOwn] = useState<OwnConversation>({ id: null, beganAs: null });
  const shown = asked !== null && asked === own.id ? own.beganAs : asked;
  const repeated = search.get('request');
  const mayReadRequests = useMay()('admin');
  const beginning = useQuery({
    queryKey: ['playground', shown, repeated],
    queryFn: () => readBeginning(shown, repeated, mayReadRequests),
    // changes are made by the page itself
    staleTime: 'static',
    gcTime: 0,
  });
  const onJoined = (id: string): void => {
    setOwn({ id, beganAs: shown });
    setSearch({ conversation: id }, { replace: true });
  };
  return (
    <LoadedPage query={beginning} title={texts.navigation.playground}>
      {(begin) => (
        <PlaygroundView key={shown ?? repeated ?? 'new'} {...begin} onJoined={onJoined} />
      )}
    </LoadedPage>
  );
}

/** A conversation that this page has stored. */
interface OwnConversation {
  readonly id: string | null;
  /** What it was before: a new one, or the stored one that it goes on with. */
  readonly beganAs: string | null;
}

type Begun = Pick<Beginning, 'state' | 'settings'>;

const newBegun: Begun = { state: newConversation, settings: plainSettings };

const storedBegun = ({ conversation: { id }, messages, requests }: WholeConversation): Begun => ({
  state: {
    turns: turnsOf(messages, requests),
    lanes: [{ models: ['auto'], conversationId: id }],
  },
  settings: { ...plainSettings, instructions: instructionsOf(messages) },
});

async function readModels(): Promise<string[]> {
  const { data } = await read('/v1/models');
  return data.filter(({ type }) => type === undefined || type === 'chat').map(({ id }) => id);
}

/** A request as two lanes: what its model answered, and another model that can be asked. */
async function readRepeated(id: string): Promise<Begun> {
  const request = await read('/api/v1/requests/{id}', { path: { id } });
  const kept = keptContentOf(request) ?? { messages: [], answer: [], omitted: 0 };
  const unanswered: Step[] = [{ answer: { ...emptyAnswer, state: 'stopped' }, results: null }];
  const turns = keptTurns(request, kept).map((turn, index, { length }): Turn => {
    const [steps = []] = turn.lanes;
    const first = steps.length === 0 ? unanswered : steps;
    return { ...turn, lanes: [first, index === length - 1 ? unanswered : first] };
  });
  const model = [request.provider, request.model].filter((name) => name !== null).join('/');
  const lanes = [model, 'auto'].map((name) => ({ models: [name], conversationId: null }));
  return {
    state: { turns, lanes },
    settings: { ...plainSettings, instructions: instructionsOf(kept.messages) },
  };
}

/** Open answers of before the page was loaded anew, unless they are stored by now. */
function interruptedOf(stored: WholeConversation | null): Begun | null {
  const interrupted = readKeptForReload() as Begun | null;
  keepForReload(null);
  const open = interrupted?.state.turns.at(-1)?.lanes.map((steps) => steps.at(-1)?.answer) ?? [];
  const isStored = open.every((one) => stored?.messages.some(({ id }) => id === one?.responseId));
  return isStored ? null : interrupted;
}

async function readBeginning(
  conversationId: string | null,
  repeated: string | null,
  mayReadRequests: boolean,
): Promise<Beginning> {
  const [models, options, stored, again] = await Promise.all([
    readModels(),
    read('/api/v1/completion-options'),
    conversationId === null ? null : readWholeConversation(conversationId, mayReadRequests),
    repeated === null ? null : readRepeated(repeated),
  ]);
  const begun = interruptedOf(stored) ?? again ?? (stored ? storedBegun(stored) : newBegun);
  return { models, options, title: stored?.conversation.title ?? null, ...begun };
}
