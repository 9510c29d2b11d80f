import { Button, CloseButton, Drawer, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure, useMediaQuery, useWindowEvent } from '@mantine/hooks';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { CompactButton, Hint, SmallButton } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import type { Answer, ToolCall } from '../../components/conversation/answer.js';
import { DecisionDrawer } from '../../components/conversation/decision-drawer.js';
import { ToolCallCard, TurnView } from '../../components/conversation/turn-view.js';
import { Page } from '../../components/page.js';
import { fill, texts } from '../../texts/texts.js';
import { AnswerActions } from './answer-actions.js';
import { Composer } from './composer.js';
import { type ConversationState, withoutTurnsFrom } from './conversation-state.js';
import { LaneBar, LaneSummary } from './lane-bar.js';
import { OptionsPanel } from './options-panel.js';
import { type PlaygroundSettings, requestedOf } from './settings.js';
import { type Playground, usePlayground } from './use-playground.js';
import { typed } from '../../components/fields.js';

const { tools: toolWords } = texts.playground;

interface AskResultsProps {
  calls: readonly ToolCall[];
  isBusy: boolean;
  send: (results: Readonly<Record<string, string>>) => void;
}

/** The model called tools that this page's reader runs: asks for what they returned. */
function AskResults({ calls, isBusy, send }: AskResultsProps) {
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const all = Object.fromEntries(calls.map(({ id }) => [id, results[id] ?? '']));
  return (
    <Stack gap="xs">
      {calls.map((call) => (
        <ToolCallCard key={call.id} call={call}>
          <Textarea
            label={toolWords.result}
            placeholder={toolWords.resultHint}
            autosize
            minRows={2}
            {...typed(results[call.id] ?? '', (result) =>
              setResults({ ...results, [call.id]: result }),
            )}
          />
        </ToolCallCard>
      ))}
      <Group justify="flex-end">
        <Button size="xs" disabled={isBusy} onClick={() => send(all)}>
          {toolWords.send}
        </Button>
      </Group>
    </Stack>
  );
}

const { playground: words } = texts;

/** What the page begins with. */
export interface Beginning {
  readonly state: ConversationState;
  readonly settings: PlaygroundSettings;
  /** Of a stored conversation. */
  readonly title: string | null;
  readonly models: readonly string[];
  readonly options: Schema<'CompletionOptionsResponse'>;
}

interface PlaygroundViewProps extends Beginning {
  /** The conversation of a single lane is stored now. */
  onJoined: (conversationId: string) => void;
}

/** A conversation with models, and everything that a request can ask for. */
export function PlaygroundView(props: PlaygroundViewProps) {
  const { state, settings: begin, title, models, options, onJoined } = props;
  const [settings, setSettings] = useState(begin);
  const [areOptionsOpen, { toggle, close }] = useDisclosure(false);
  // beside the conversation where there is room, so that it covers nothing
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  const playground = usePlayground(settings, state);
  const requested = requestedOf(settings);
  const panel = (
    <OptionsPanel
      settings={settings}
      options={options}
      change={(changes) => setSettings((before) => ({ ...before, ...changes }))}
    />
  );
  return (
    <Page
      title={title ?? texts.navigation.playground}
      lead={words.lead}
      actions={<NewConversation playground={playground} />}
    >
      <Group gap="lg" align="flex-start" wrap="nowrap">
        <Stack gap="lg" flex={1} miw={0} mih="calc(100dvh - 190px)">
          <LaneBar playground={playground} models={models} />
          <Turns playground={playground} onJoined={onJoined} />
          <Stack
            gap="xs"
            pos="sticky"
            bottom={0}
            mt="auto"
            py={8}
            bg="var(--mantine-color-body)"
            style={{ zIndex: 2 }}
          >
            <CompactButton w="fit-content" aria-expanded={areOptionsOpen} onClick={toggle}>
              {requested.length === 0
                ? words.options.label
                : fill(words.options.on, { list: requested.join(', ') })}
            </CompactButton>
            <Composer playground={playground} maxBodyBytes={options.maxBodyBytes} />
          </Stack>
        </Stack>
        {areOptionsOpen && isWide ? (
          <Paper
            withBorder
            p="sm"
            component="aside"
            aria-label={words.options.label}
            className="options-panel"
          >
            <Group justify="space-between" mb="sm">
              <Text fw={600}>{words.options.label}</Text>
              <CloseButton aria-label={texts.common.close} onClick={close} />
            </Group>
            {panel}
          </Paper>
        ) : null}
      </Group>
      <Drawer
        opened={areOptionsOpen && !isWide && !playground.isBusy}
        onClose={close}
        position="right"
        title={words.options.label}
      >
        {panel}
      </Drawer>
    </Page>
  );
}

function NewConversation({ playground }: { playground: Playground }) {
  const [, navigate] = useLocation();
  if (playground.turns.length === 0) return null;
  const begin = (): void => {
    playground.stop();
    playground.change((state) => withoutTurnsFrom(state, 0));
    navigate('/playground');
  };
  return <SmallButton onClick={begin}>{words.newConversation}</SmallButton>;
}

interface TurnsProps extends Pick<PlaygroundViewProps, 'onJoined'> {
  playground: Playground;
}

function Turns({ playground, onJoined }: TurnsProps) {
  const [explained, setExplained] = useState<Answer | null>(null);
  const { turns, isBusy } = playground;
  const end = useStickToEnd(turns);
  useJoined(playground, onJoined);
  if (turns.length === 0)
    return (
      <Hint py="xl" ta="center">
        {words.empty}
      </Hint>
    );
  return (
    <Stack gap="lg" role="log" aria-label={texts.common.conversation} aria-live="off">
      {turns.map((turn, index) => (
        <Stack key={index} gap="sm">
          <TurnView
            turn={turn}
            {...(isBusy ? {} : { edit: (text) => playground.edit(index, { ...turn, text }) })}
            actionsOf={({ answer }, lane, step) => (
              <AnswerActions
                answer={answer}
                explain={() => setExplained(answer)}
                rate={(rating) => playground.rate({ turn: index, lane, step }, rating)}
                {...(isBusy ? {} : { again: () => playground.again({ turn: index, lane, step }) })}
              />
            )}
            askResults={({ answer }, lane, step) =>
              index === turns.length - 1 ? (
                <AskResults
                  calls={answer.toolCalls}
                  isBusy={isBusy}
                  send={(results) => playground.answerCalls({ turn: index, lane, step }, results)}
                />
              ) : null
            }
          />
          <LaneSummary lanes={turn.lanes} />
        </Stack>
      ))}
      <div ref={end} />
      <DecisionDrawer answer={explained} close={() => setExplained(null)} />
    </Stack>
  );
}

/** Tells once that the conversation of a single lane is stored. */
function useJoined({ lanes }: Playground, onJoined: (id: string) => void): void {
  const [lane, other] = lanes;
  const id = other === undefined ? (lane?.conversationId ?? null) : null;
  const tell = useEffectEvent(onJoined);
  const told = useRef(id);
  useEffect(() => {
    if (id === null || id === told.current) return;
    told.current = id;
    tell(id);
  }, [id]);
}

/** How near its end the page counts as being at it. In px. */
const nearEnd = 160;

/**
 * Keeps the end of the page in sight while it grows, unless its reader has scrolled up.
 * @returns of an element at the end
 */
function useStickToEnd(content: unknown): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useWindowEvent('scroll', () => {
    const { scrollHeight, clientHeight } = document.documentElement;
    isAtEnd.current = scrollHeight - clientHeight - window.scrollY < nearEnd;
  });
  useEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: 'end' });
  }, [content]);
  return end;
}
