import { Alert, Anchor, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { instructionsOf, turnsOf } from '../../components/conversation/stored-turns.js';
import { TurnView } from '../../components/conversation/turn-view.js';
import { CopyText } from '../../components/copy-text.js';
import { Loaded } from '../../components/loaded.js';
import { Page } from '../../components/page.js';
import { formatInstant } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { ConversationButtons } from './conversation-buttons.js';
import { readWholeConversation, type WholeConversation } from './conversation-queries.js';

const { conversations: words } = texts;

/** One conversation, to read. */
export function ConversationView({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['conversation', id],
    queryFn: () => readWholeConversation(id),
  });
  return <Loaded query={query}>{(whole) => <Shown whole={whole} />}</Loaded>;
}

function Shown({ whole: { conversation, messages, isCut } }: { whole: WholeConversation }) {
  const [, navigate] = useLocation();
  const { title, messageCount, createdAt } = conversation;
  const turns = turnsOf(messages);
  return (
    <Page
      title={title}
      lead={fill(words.facts, { count: messageCount, at: formatInstant(createdAt) })}
      actions={
        <ConversationButtons
          conversation={conversation}
          onDeleted={() => navigate('/conversations')}
        />
      }
    >
      <Anchor component={Link} href="/conversations" size="sm">
        {words.back}
      </Anchor>
      <Instructions text={instructionsOf(messages)} />
      {turns.length === 0 ? <Text c="dimmed">{words.noMessages}</Text> : null}
      <Stack gap="lg">
        {turns.map((turn, index) => (
          <TurnView
            key={index}
            turn={turn}
            actionsOf={({ answer }) =>
              answer.text === '' ? null : <CopyText value={answer.text} />
            }
          />
        ))}
      </Stack>
      {isCut ? <Alert color="yellow">{words.cut}</Alert> : null}
    </Page>
  );
}

function Instructions({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <Paper withBorder p="sm">
      <Text size="xs" c="dimmed">
        {texts.playground.options.instructions}
      </Text>
      <Text size="sm" className="text-plain">
        {text}
      </Text>
    </Paper>
  );
}
