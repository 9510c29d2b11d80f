import { Alert, Button, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { CompactButton, CopyText, Note, PageLink, PlainText } from '../../components/elements.js';
import type { Answer, Turn } from '../../components/conversation/answer.js';
import { DecisionDrawer } from '../../components/conversation/decision-drawer.js';
import { instructionsOf, turnsOf } from '../../components/conversation/stored-turns.js';
import { TurnView } from '../../components/conversation/turn-view.js';
import { LoadedPage, Page } from '../../components/page.js';
import { formatInstant } from '../../format/times.js';
import { useMay } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { continued, ConversationActions } from './conversation-actions.js';
import { readWholeConversation, type WholeConversation } from './conversation-queries.js';

const { conversations: words } = texts;

/** One conversation, to read. */
export function ConversationView({ id }: { id: string }) {
  const mayReadRequests = useMay()('admin');
  const query = useQuery({
    queryKey: ['conversation', id],
    queryFn: () => readWholeConversation(id, mayReadRequests),
  });
  return (
    <LoadedPage query={query} title={texts.common.conversation}>
      {(whole) => <Shown whole={whole} />}
    </LoadedPage>
  );
}

function Shown({ whole }: { whole: WholeConversation }) {
  const [, navigate] = useLocation();
  const { conversation, messages, requests, isCut } = whole;
  const { title, messageCount, createdAt } = conversation;
  return (
    <Page
      title={title}
      lead={fill(words.facts, { count: messageCount, at: formatInstant(createdAt) })}
      actions={
        <>
          <PageLink href="/conversations">{words.back}</PageLink>
          <Button component={Link} href={continued(conversation)}>
            {words.goOn}
          </Button>
          <ConversationActions
            conversation={conversation}
            onDeleted={() => navigate('/conversations')}
          />
        </>
      }
    >
      <Instructions text={instructionsOf(messages)} />
      <Turns turns={turnsOf(messages, requests)} />
      {isCut ? <Alert color="yellow">{words.cut}</Alert> : null}
    </Page>
  );
}

function Turns({ turns }: { turns: readonly Turn[] }) {
  const [explained, setExplained] = useState<Answer | null>(null);
  if (turns.length === 0) return <Text c="dimmed">{words.noMessages}</Text>;
  return (
    <Stack gap="lg">
      {turns.map((turn, index) => (
        <TurnView
          key={index}
          turn={turn}
          actionsOf={({ answer }) => (
            <>
              {answer.requestId === null ? null : (
                <CompactButton onClick={() => setExplained(answer)}>
                  {texts.playground.why}
                </CompactButton>
              )}
              {answer.text === '' ? null : <CopyText value={answer.text} />}
            </>
          )}
        />
      ))}
      <DecisionDrawer answer={explained} close={() => setExplained(null)} />
    </Stack>
  );
}

function Instructions({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <Paper withBorder p="sm">
      <Note>{texts.common.instructions}</Note>
      <PlainText>{text}</PlainText>
    </Paper>
  );
}
