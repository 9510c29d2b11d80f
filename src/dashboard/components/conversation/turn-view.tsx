import {
  Box,
  CloseButton,
  Group,
  Image,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CodeRegion, Note, OutsideLink, PlainText } from '../elements.js';
import { DialogButton } from '../dialog.js';
import './conversation.css';
import { fill, texts } from '../../texts/texts.js';
import { AnswerView } from './answer-view.js';
import type { Step, ToolCall, Turn } from './answer.js';
import { openableUrl, prettyJson } from './answer-parts.js';
import { typed } from '../fields.js';

const { playground: words } = texts;

interface TurnViewProps {
  turn: Turn;
  /** Asks another text in place of the question's. Absent: it cannot be changed. */
  edit?: (text: string) => void;
  /** Buttons under an answer. */
  actionsOf?: (step: Step, lane: number, index: number) => ReactNode;
  /** What asks for the results of an answer's calls, where they are missing. */
  askResults?: (step: Step, lane: number, index: number) => ReactNode;
}

/** A question with the answers of all lanes, side by side where there is room. */
export const TurnView = ({ turn, edit, actionsOf, askResults }: TurnViewProps) => (
  <Stack gap="sm">
    {turn.text === '' && turn.pictures.length === 0 ? null : (
      <UserMessage text={turn.text} pictures={turn.pictures} edit={edit} />
    )}
    <SimpleGrid cols={{ base: 1, md: turn.lanes.length || 1 }} spacing="sm">
      {turn.lanes.map((steps, lane) => (
        <Stack key={lane} gap="sm" miw={0}>
          {steps.map((step, index) => (
            <AnswerView
              key={index}
              answer={step.answer}
              calls={callsOf(step, askResults?.(step, lane, index))}
              actions={actionsOf?.(step, lane, index)}
            />
          ))}
        </Stack>
      ))}
    </SimpleGrid>
  </Stack>
);

function callsOf({ answer, results }: Step, ask: ReactNode): ReactNode {
  if (answer.toolCalls.length === 0) return null;
  if (results === null && ask) return ask;
  return answer.toolCalls.map((call) => (
    <ToolCallCard key={call.id} call={call}>
      {results?.[call.id] === undefined ? null : (
        <PlainText>
          {words.tools.result}: {results[call.id]}
        </PlainText>
      )}
    </ToolCallCard>
  ));
}

interface UserMessageProps extends Pick<Turn, 'text' | 'pictures'> {
  edit: TurnViewProps['edit'];
}

/** What a person asked; with `edit` it can be changed and asked anew. */
function UserMessage({ text, pictures, edit }: UserMessageProps) {
  const [draft, setDraft] = useState(text);
  return (
    <Paper
      p="sm"
      radius="md"
      ml="auto"
      maw="min(100%, 48rem)"
      bg="light-dark(var(--mantine-color-blue-0), var(--mantine-color-dark-5))"
      aria-label={words.you}
      role="group"
    >
      <Stack gap="xs">
        <Pictures urls={pictures} />
        <Group gap="sm" wrap="nowrap" align="flex-start">
          {text === '' ? null : <PlainText flex={1}>{text}</PlainText>}
          {edit ? (
            <DialogButton
              label={texts.common.edit}
              title={words.editMessage}
              size="compact-sm"
              fz="xs"
              flex="none"
              end={{ label: words.askAnew, isReady: draft.trim() !== '' }}
              onOpen={() => setDraft(text)}
              act={() => {
                edit(draft.trim());
                return Promise.resolve();
              }}
            >
              <Textarea
                aria-label={words.editMessage}
                autosize
                data-autofocus
                maxRows={12}
                {...typed(draft, setDraft)}
              />
            </DialogButton>
          ) : null}
        </Group>
      </Stack>
    </Paper>
  );
}

interface PicturesProps {
  /** Addresses, most of them `data:`. */
  urls: readonly string[];
  onRemove?: (index: number) => void;
}

/** Pictures of a message. Only those that are in the message itself are shown. */
export function Pictures({ urls, onRemove }: PicturesProps) {
  if (urls.length === 0) return null;
  return (
    <Group gap="xs">
      {urls.map((url, index) => (
        <Box key={index} pos="relative">
          <Picture url={url} name={fill(texts.playground.attached, { number: index + 1 })} />
          {onRemove ? (
            <CloseButton
              size="sm"
              variant="filled"
              pos="absolute"
              top={4}
              right={4}
              aria-label={fill(texts.playground.removePicture, { number: index + 1 })}
              onClick={() => onRemove(index)}
            />
          ) : null}
        </Box>
      ))}
    </Group>
  );
}

function Picture({ url, name }: { url: string; name: string }) {
  if (url.startsWith('data:image/'))
    return <Image src={url} alt={name} h={96} w="auto" maw={240} fit="contain" radius="sm" />;
  const href = openableUrl(url);
  if (href === null) return <Text size="sm">{name}</Text>;
  return <OutsideLink href={href}>{fill(texts.playground.picture, { name: url })}</OutsideLink>;
}

interface ToolCallCardProps {
  call: ToolCall;
  /** The result, or what asks for it. */
  children?: ReactNode;
}

/** A call of a tool that the client runs. */
export const ToolCallCard = ({ call, children }: ToolCallCardProps) => (
  <Paper withBorder p="sm">
    <Stack gap="xs">
      <Group gap="xs">
        <Note>{words.tools.call}</Note>
        <Text size="sm" fw={600} ff="monospace">
          {call.function.name}
        </Text>
      </Group>
      <CodeRegion label={words.tools.args}>{prettyJson(call.function.arguments)}</CodeRegion>
      {children}
    </Stack>
  </Paper>
);
