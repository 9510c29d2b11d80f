import { Text } from '@mantine/core';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { ActDialog, ActionsMenu } from '../../components/dialog.js';
import { useAccount } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import type { Limits } from '../../format/limits.js';
import { LimitFields } from '../keys/key-form.js';

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
  const link = {
    label: text.resetLink,
    question: fill(text.resetQuestion, { email }),
    act: async () => {
      const made = await dataOf(api.POST('/api/v1/accounts/{id}/reset-link', { params }));
      onLink({ email, url: made.url, expiresAt: made.expiresAt });
    },
  };
  const ofOthers = [
    {
      label: account.role === 'admin' ? text.makeMember : text.makeAdmin,
      question: fill(text.roleQuestion, { email }),
      act: () => change({ role: account.role === 'admin' ? 'member' : 'admin' }),
    },
    {
      label: isActive ? text.disable : text.enable,
      question: fill(isActive ? text.disableQuestion : text.enableQuestion, { email }),
      act: () => change({ disabled: isActive }),
    },
    {
      label: texts.common.delete,
      question: fill(text.removeQuestion, { email }),
      act: () => api.DELETE('/api/v1/accounts/{id}', { params }),
    },
  ];
  return (
    <ActionsMenu
      name={email}
      actions={[
        { label: text.limits, dialog: (close) => <LimitsDialog {...{ account, close }} /> },
        ...(isActive && account.email !== null ? [link] : []),
        ...(own.id === account.id ? [] : ofOthers),
      ]}
    />
  );
}

function LimitsDialog({ account, close }: { account: Account; close: () => void }) {
  const { id, email, limits } = account;
  const [edited, setEdited] = useState<Limits>(limits);
  const params = { path: { id } };
  return (
    <ActDialog
      title={fill(text.editLimits, { email: email ?? id })}
      gap="sm"
      act={() => api.PATCH('/api/v1/accounts/{id}', { params, body: { limits: edited } })}
      close={close}
    >
      <Text size="sm">{text.limitsLead}</Text>
      <LimitFields limits={edited} change={(changed) => setEdited({ ...edited, ...changed })} />
    </ActDialog>
  );
}
