import {
  ActionIcon,
  Button,
  type ButtonProps,
  Group,
  Menu,
  Modal,
  Stack,
  type StackProps,
  Text,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useRef, useState } from 'react';
import { Link } from 'wouter';
import { fill, texts } from '../texts/texts.js';
import { SmallButton } from './elements.js';
import { Failure } from './loaded.js';

interface ActDialogProps {
  title: string;
  opened?: boolean;
  /** What its button says; default: “Save”. */
  label?: string | undefined;
  color?: string | undefined;
  /** Whether it can be done. */
  isReady?: boolean | undefined;
  gap?: StackProps['gap'];
  size?: string;
  /** Does what the dialog is for; the dialog closes when it is done, or before by `leave`. */
  act: (leave: () => void) => Promise<unknown>;
  close: () => void;
  children: ReactNode;
}

/** A dialog with a form, why it could not be done, and the buttons that leave it or do it. */
export function ActDialog(props: ActDialogProps) {
  const { title, opened = true, label = texts.common.save, color, isReady = true } = props;
  const { gap = 'md', size = 'md', act, close, children } = props;
  const times = useRef(0);
  const acting = useMutation({
    mutationFn: () => {
      const time = times.current;
      return act(() => {
        if (time === times.current) leave();
      });
    },
  });
  // opened again, it neither says why an earlier try failed, nor is closed by its end
  const leave = (): void => {
    times.current += 1;
    acting.reset();
    close();
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    acting.mutate(undefined, { onSuccess: leave });
  };
  return (
    <Modal opened={opened} onClose={leave} title={title} size={size} centered>
      <form onSubmit={submit}>
        <Stack gap={gap}>
          {children}
          {acting.error ? <Failure error={acting.error} /> : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={leave}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" color={color} loading={acting.isPending} disabled={!isReady}>
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface DialogButtonProps
  extends Omit<ButtonProps, 'children'>, Pick<ActDialogProps, 'act' | 'children'> {
  label: string;
  /** Of the dialog; default: the label. */
  title?: string;
  end?: Pick<ActDialogProps, 'label' | 'color' | 'isReady'>;
  onOpen?: () => void;
}

/** A button that opens a dialog. */
export function DialogButton(props: DialogButtonProps) {
  const { label, title = label, end, onOpen, act, children, ...button } = props;
  const [opened, { open, close }] = useDisclosure(false, { onOpen });
  return (
    <>
      <SmallButton {...button} onClick={open}>
        {label}
      </SmallButton>
      <ActDialog {...{ opened, title, act, close }} {...end}>
        {children}
      </ActDialog>
    </>
  );
}

interface Question extends Pick<ActDialogProps, 'act'> {
  label: string;
  /** What will happen, and whether it can be undone. */
  question: string;
}

/** What can be done with one of several things: a link, a question before it, or its own dialog. */
export type Action =
  | Question
  | { label: string; href: string; isDownload?: boolean }
  | { label: string; dialog: (close: () => void) => ReactNode };

/** A menu of what can be done with one thing of a list. */
export function ActionsMenu({ name, actions }: { name: string; actions: readonly Action[] }) {
  const [chosen, choose] = useState<string | null>(null);
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const close = (): void => {
    choose(null);
    button?.focus();
  };
  const action = actions.find(({ label }) => label === chosen);
  return (
    <Group justify="flex-end">
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            ref={setButton}
            variant="default"
            aria-label={fill(texts.common.actionsOf, { name })}
          >
            ⋯
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map((one) => {
            const { label } = one;
            if (!('href' in one))
              return (
                <Menu.Item key={label} onClick={() => choose(label)}>
                  {label}
                </Menu.Item>
              );
            return one.isDownload ? (
              <Menu.Item key={label} component="a" href={one.href} download>
                {label}
              </Menu.Item>
            ) : (
              <Menu.Item key={label} component={Link} href={one.href}>
                {label}
              </Menu.Item>
            );
          })}
        </Menu.Dropdown>
      </Menu>
      {action && 'dialog' in action ? action.dialog(close) : null}
      {action && 'question' in action ? (
        <ActDialog {...action} title={action.label} color="red" close={close}>
          <Text size="sm">{action.question}</Text>
        </ActDialog>
      ) : null}
    </Group>
  );
}

/** A button that asks before it does something that cannot be undone. */
export const ConfirmButton = ({ label, question, ...button }: Question & ButtonProps) => (
  <DialogButton label={label} end={{ label, color: 'red' }} {...button}>
    <Text size="sm">{question}</Text>
  </DialogButton>
);
