import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schema } from '../../api/client.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { DialogEnd } from '../../components/dialog-end.js';
import { useAccount } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { type ShownLimits, typedLimit } from './limit-words.js';

const text = texts.settings;
type Account = Schema<'AccountResponse'>;

/** A link that sets a password, and whose it is. */
export interface GivenLink {
  readonly email: string;
  readonly url: string;
  readonly expiresAt: string;
}

interface AccountActionsProps {
  account: Account;
  onLink: (link: GivenLink) => void;
}

/** What an administrator can do with an account. */
export function AccountActions({ account, onLink }: AccountActionsProps) {
  const own = useAccount();
  const queries = useQueryClient();
  const params = { path: { id: account.id } };
  const email = account.email ?? account.id;
  const isActive = account.disabledAt === null;
  const read = (): Promise<void> => queries.invalidateQueries({ queryKey: ['accounts'] });
  const change = async (body: { disabled?: boolean; role?: Account['role'] }): Promise<void> => {
    await api.PATCH('/api/v1/accounts/{id}', { params, body });
    await read();
  };
  const remove = async (): Promise<void> => {
    await api.DELETE('/api/v1/accounts/{id}', { params });
    await read();
  };
  return (
    <Group gap={6}>
      <LimitsButton account={account} onChanged={read} />
      {isActive && account.email !== null ? (
        <LinkButton id={account.id} email={email} onLink={onLink} />
      ) : null}
      {own.id === account.id ? null : (
        <>
          <ConfirmButton
            label={account.role === 'admin' ? text.makeMember : text.makeAdmin}
            question={fill(text.roleQuestion, { email })}
            act={() => change({ role: account.role === 'admin' ? 'member' : 'admin' })}
          />
          <ConfirmButton
            label={isActive ? text.disable : text.enable}
            question={fill(isActive ? text.disableQuestion : text.enableQuestion, { email })}
            act={() => change({ disabled: isActive })}
          />
          <ConfirmButton
            label={text.remove}
            question={fill(text.removeQuestion, { email })}
            act={remove}
          />
        </>
      )}
    </Group>
  );
}

interface LinkButtonProps extends Pick<AccountActionsProps, 'onLink'> {
  id: string;
  email: string;
}

function LinkButton({ id, email, onLink }: LinkButtonProps) {
  const creating = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/v1/accounts/{id}/reset-link', { params: { path: { id } } })),
    onSuccess: ({ url, expiresAt }) => onLink({ email, url, expiresAt }),
  });
  return (
    <Button
      size="xs"
      variant="default"
      loading={creating.isPending}
      onClick={() => creating.mutate()}
    >
      {text.resetLink}
    </Button>
  );
}

const fields = [
  'requestsPerMinute',
  'tokensPerMinute',
  'dayBudgetUsd',
  'monthBudgetUsd',
] as const satisfies readonly (keyof ShownLimits)[];

interface LimitsButtonProps {
  account: Account;
  onChanged: () => Promise<void>;
}

function LimitsButton({ account: { id, email, limits }, onChanged }: LimitsButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  const [edited, setEdited] = useState<ShownLimits>(limits);
  const saving = useMutation({
    mutationFn: async () => {
      const body = { limits: edited };
      await api.PATCH('/api/v1/accounts/{id}', { params: { path: { id } }, body });
      await onChanged();
    },
    onSuccess: close,
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {text.limits}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={fill(text.editLimits, { email: email ?? id })}
        centered
      >
        <Stack gap="sm">
          <Text size="sm">{text.limitsLead}</Text>
          {fields.map((field) => (
            <NumberInput
              key={field}
              label={text[field]}
              placeholder={text.noLimit}
              min={0}
              value={edited[field] ?? ''}
              onChange={(value) => setEdited({ ...edited, [field]: typedLimit(value) })}
            />
          ))}
          <DialogEnd acting={saving} act={() => saving.mutate()} close={close} />
        </Stack>
      </Modal>
    </>
  );
}
