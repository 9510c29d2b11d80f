import { Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { basePath } from '../../api/client.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { DialogEnd } from '../../components/dialog-end.js';
import { fill, texts } from '../../texts/texts.js';
import {
  type Conversation,
  deleteConversation,
  renameConversation,
} from './conversation-queries.js';

const { conversations: words } = texts;

interface ConversationButtonsProps {
  conversation: Conversation;
  /** Is called when it is gone. */
  onDeleted?: () => void;
}

/** What can be done with a conversation: go on, rename, export, delete. */
export function ConversationButtons({ conversation, onDeleted }: ConversationButtonsProps) {
  const queries = useQueryClient();
  const { id, title } = conversation;
  const remove = async (): Promise<void> => {
    await deleteConversation(id);
    onDeleted?.();
    await queries.invalidateQueries({ queryKey: ['conversations'] });
  };
  return (
    <Group gap={6} justify="flex-end">
      <Button
        size="xs"
        variant="default"
        component={Link}
        href={`/playground?conversation=${encodeURIComponent(id)}`}
      >
        {words.goOn}
      </Button>
      <RenameButton conversation={conversation} />
      <ExportMenu id={id} />
      <ConfirmButton
        label={texts.common.delete}
        question={fill(words.deleteQuestion, { title })}
        act={remove}
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
        <Button size="xs" variant="default">
          {words.export}
        </Button>
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
      <Button size="xs" variant="default" onClick={open}>
        {words.rename}
      </Button>
      <Modal opened={opened} onClose={close} title={words.rename} centered>
        <RenameForm id={id} title={title} close={close} />
      </Modal>
    </>
  );
}

const maxTitleLength = 200;

function RenameForm({ id, title, close }: { id: string; title: string; close: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(title);
  const renaming = useMutation({
    mutationFn: () => renameConversation(id, name.trim()),
    onSuccess: async () => {
      close();
      await Promise.all(
        [['conversations'], ['conversation', id]].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      );
    },
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
