import { Group, Menu, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { SmallButton } from '../../components/elements.js';
import { api, basePath } from '../../api/client.js';
import { ConfirmButton, DialogButton } from '../../components/dialog.js';
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

const maxTitleLength = 200;

function RenameButton({ conversation: { id, title } }: { conversation: Conversation }) {
  const [name, setName] = useState(title);
  const asked = { params: { path: { id } }, body: { title: name.trim() } };
  return (
    <DialogButton
      label={words.rename}
      end={{ isReady: name.trim() !== '' }}
      onOpen={() => setName(title)}
      act={() => api.PATCH('/api/v1/conversations/{id}', asked)}
    >
      <TextInput
        label={words.name}
        value={name}
        maxLength={maxTitleLength}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogButton>
  );
}
