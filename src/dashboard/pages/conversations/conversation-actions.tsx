import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, basePath } from '../../api/client.js';
import { ActDialog, ActionsMenu } from '../../components/dialog.js';
import { fill, texts } from '../../texts/texts.js';
import type { Conversation } from './conversation-queries.js';
import { typed } from '../../components/fields.js';

const { conversations: words } = texts;

interface ConversationActionsProps {
  conversation: Conversation;
  /** Is called when it is gone. */
  onDeleted?: () => void;
}

/** Where the playground goes on with a conversation. */
export const continued = ({ id }: Conversation): string =>
  `/playground?conversation=${encodeURIComponent(id)}`;

/** What can be done with a conversation: go on, rename, export, delete. */
export function ConversationActions({ conversation, onDeleted }: ConversationActionsProps) {
  const { id, title } = conversation;
  const path = { params: { path: { id } } };
  const file = (format: string): string =>
    `${basePath}/api/v1/conversations/${encodeURIComponent(id)}/export?format=${format}`;
  return (
    <ActionsMenu
      name={title}
      actions={[
        { label: words.goOn, href: continued(conversation) },
        { label: words.rename, dialog: (close) => <RenameDialog {...{ conversation, close }} /> },
        { label: words.markdown, href: file('markdown'), isDownload: true },
        { label: words.json, href: file('json'), isDownload: true },
        {
          label: texts.common.delete,
          question: fill(words.deleteQuestion, { title }),
          act: async () => {
            await api.DELETE('/api/v1/conversations/{id}', path);
            onDeleted?.();
          },
        },
      ]}
    />
  );
}

const maxTitleLength = 200;

interface RenameDialogProps extends Pick<ConversationActionsProps, 'conversation'> {
  close: () => void;
}

function RenameDialog({ conversation: { id, title }, close }: RenameDialogProps) {
  const [name, setName] = useState(title);
  const asked = { params: { path: { id } }, body: { title: name.trim() } };
  return (
    <ActDialog
      title={words.rename}
      isReady={name.trim() !== ''}
      act={() => api.PATCH('/api/v1/conversations/{id}', asked)}
      close={close}
    >
      <TextInput
        label={words.name}
        maxLength={maxTitleLength}
        data-autofocus
        {...typed(name, setName)}
      />
    </ActDialog>
  );
}
