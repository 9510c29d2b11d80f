import { Group, NumberInput, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { SmallButton } from '../../components/elements.js';
import { api, dataOf } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { ConfirmButton, DialogButton } from '../../components/dialog.js';
import { useAccount } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { limitNames, type Limits, typedLimit } from '../../format/limits.js';

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
  const params = { path: { id: account.id } };
  const email = account.email ?? account.id;
  const isActive = account.disabledAt === null;
  const change = (body: { disabled?: boolean; role?: Account['role'] }) =>
    api.PATCH('/api/v1/accounts/{id}', { params, body });
  return (
    <Group gap={6}>
      <LimitsButton account={account} />
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
            act={() => api.DELETE('/api/v1/accounts/{id}', { params })}
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
    <SmallButton loading={creating.isPending} onClick={() => creating.mutate()}>
      {text.resetLink}
    </SmallButton>
  );
}

function LimitsButton({ account: { id, email, limits } }: { account: Account }) {
  const [edited, setEdited] = useState<Limits>(limits);
  const params = { path: { id } };
  return (
    <DialogButton
      label={text.limits}
      title={fill(text.editLimits, { email: email ?? id })}
      gap="sm"
      act={() => api.PATCH('/api/v1/accounts/{id}', { params, body: { limits: edited } })}
    >
      <Text size="sm">{text.limitsLead}</Text>
      {limitNames.map((name) => (
        <NumberInput
          key={name}
          label={texts.keys[name]}
          placeholder={text.noLimit}
          min={0}
          value={edited[name] ?? ''}
          onChange={(value) => setEdited({ ...edited, [name]: typedLimit(value) })}
        />
      ))}
    </DialogButton>
  );
}
