import { Group, Menu, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { SmallButton } from '../../components/elements.js';
import { api, basePath } from '../../api/client.js';
import { ConfirmButton, DialogEnd } from '../../components/dialog.js';
import { fill, texts } from '../../texts/texts.js';
import type { Conversation } from './conversation-queries.js';

const { conversations: words } = texts;

interface ConversationButtonsProps {
  conversation: Conversation;
  /** Is called when it is gone. */
  onDeleted?: () => void;
}

/** What can be done with a conversation: go on, rename, export, delete. */
export function ConversationButtons({ conversation, onDeleted }: ConversationButtonsProps) {
  const { id, title } = conversation;
  return (
    <Group gap={6} justify="flex-end">
      <SmallButton component={Link} href={`/playground?conversation=${encodeURIComponent(id)}`}>
        {words.goOn}
      </SmallButton>
      <RenameButton conversation={conversation} />
      <ExportMenu id={id} />
      <ConfirmButton
        label={texts.common.delete}
        question={fill(words.deleteQuestion, { title })}
        act={async () => {
          await api.DELETE('/api/v1/conversations/{id}', { params: { path: { id } } });
          onDeleted?.();
        }}
      />
    </Group>
  );
}

function ExportMenu({ id }: { id: string }) {
  const href = (format: string): string =>
    `${basePath}/api/v1/conversations/${encodeURIComponent(id)}/export?format=${format}`;
  return (
    <Menu>
      <Menu.Target>
        <SmallButton>{words.export}</SmallButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={href('markdown')} download>
          {words.markdown}
        </Menu.Item>
        <Menu.Item component="a" href={href('json')} download>
          {words.json}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function RenameButton({ conversation: { id, title } }: { conversation: Conversation }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <SmallButton onClick={open}>{words.rename}</SmallButton>
      <Modal opened={opened} onClose={close} title={words.rename} centered>
        <RenameForm id={id} title={title} close={close} />
      </Modal>
    </>
  );
}

const maxTitleLength = 200;

function RenameForm({ id, title, close }: { id: string; title: string; close: () => void }) {
  const [name, setName] = useState(title);
  const renaming = useMutation({
    mutationFn: () =>
      api.PATCH('/api/v1/conversations/{id}', {
        params: { path: { id } },
        body: { title: name.trim() },
      }),
    onSuccess: close,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        renaming.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={words.name}
          value={name}
          maxLength={maxTitleLength}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <DialogEnd acting={renaming} isReady={name.trim() !== ''} close={close} />
      </Stack>
    </form>
  );
}
