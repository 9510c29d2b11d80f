import { ActionIcon, Button, FileButton, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useState } from 'react';
import { useDraft } from '../../components/draft.js';
import { Note } from '../../components/elements.js';
import { Pictures } from '../../components/conversation/turn-view.js';
import { Icon } from '../../components/icons.js';
import { formatBytes } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import { chooseFiles, maxPictureBytes, pictureTypes } from './image-files.js';
import type { Playground } from './use-playground.js';
import { typed } from '../../components/fields.js';

const { playground: words } = texts;

interface ComposerProps {
  playground: Playground;
  /** How large a request may be. */
  maxBodyBytes: number;
}

/** Where a person writes. Enter sends; pictures are attached, pasted or dropped. */
export function Composer({ playground, maxBodyBytes }: ComposerProps) {
  const [text, setText] = useDraft('prompt');
  const { pictures, problem, add, remove, clear } = usePictures(maxBodyBytes);
  const { isBusy, ask, stop } = playground;
  const isEmpty = text.trim() === '' && pictures.length === 0;
  const send = (): void => {
    if (isEmpty || isBusy) return;
    ask({ text: text.trim(), pictures });
    setText('');
    clear();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <Paper
      withBorder
      p="xs"
      className="composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => add(filesOf(event))}
    >
      <Stack gap="xs">
        <Pictures urls={pictures} onRemove={remove} />
        {problem === null ? null : (
          <Text size="sm" c="red" role="alert">
            {problem}
          </Text>
        )}
        <Textarea
          aria-label={words.prompt}
          placeholder={words.promptHint}
          autosize
          minRows={2}
          maxRows={12}
          variant="unstyled"
          {...typed(text, setText)}
          onKeyDown={onKeyDown}
          onPaste={(event) => add(filesOf(event))}
        />
        <ComposerButtons {...{ isBusy, isEmpty, stop, send, maxBodyBytes }} attach={add} />
      </Stack>
    </Paper>
  );
}

interface ComposerButtonsProps {
  isBusy: boolean;
  isEmpty: boolean;
  maxBodyBytes: number;
  attach: (files: readonly File[]) => void;
  send: () => void;
  stop: () => void;
}

function ComposerButtons(props: ComposerButtonsProps) {
  const { isBusy, isEmpty, maxBodyBytes, attach, send, stop } = props;
  const limit = fill(words.pictureLimit, { size: formatBytes(maxPictureBytes(maxBodyBytes)) });
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="xs">
        <FileButton onChange={attach} accept={pictureTypes.join(',')} multiple>
          {(props) => (
            <ActionIcon {...props} variant="default" size="lg" aria-label={words.attach}>
              <Icon name="picture" />
            </ActionIcon>
          )}
        </FileButton>
        <Note visibleFrom="sm">{limit}</Note>
      </Group>
      {isBusy ? (
        <Button color="red" variant="outline" onClick={stop}>
          {words.stop}
        </Button>
      ) : (
        <Button onClick={send} disabled={isEmpty}>
          {words.send}
        </Button>
      )}
    </Group>
  );
}

/** The pictures of the next message. */
function usePictures(maxBodyBytes: number) {
  const [pictures, setPictures] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  return {
    pictures,
    problem,
    remove: (index: number) => setPictures(pictures.filter((_, at) => at !== index)),
    clear() {
      setPictures([]);
      setProblem(null);
    },
    add(files: readonly File[]) {
      if (files.length === 0) return;
      const attached = pictures.reduce((sum, { length }) => sum + length, 0);
      const { taken, refused } = chooseFiles(files, attached, maxBodyBytes);
      const size = formatBytes(maxPictureBytes(maxBodyBytes));
      setProblem(refused === 'none' ? null : fill(words.refusedPicture[refused], { size }));
      void Promise.all(taken.map(readAsDataUrl)).then((read) =>
        setPictures((before) => [...before, ...read]),
      );
    },
  };
}

/** The files that an event brings; the browser then does nothing else with them. */
function filesOf(event: ClipboardEvent | DragEvent): File[] {
  const data = 'clipboardData' in event ? event.clipboardData : event.dataTransfer;
  const files = [...data.files];
  if (files.length > 0) event.preventDefault();
  return files;
}

const readAsDataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '');
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'));
    reader.readAsDataURL(file);
  });
