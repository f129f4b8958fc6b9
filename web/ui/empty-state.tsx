import { Icon } from './icon.tsx';

interface EmptyStateProps {
  /** A drawing from icons.ts. */
  icon: string;
  title: string;
  text: string;
  action?: { href: string; label: string };
}

/** Shown instead of an empty list. It says why the list is empty and what to do next. */
export const EmptyState = ({ icon, title, text, action }: EmptyStateProps) => (
  <div class="empty">
    <span class="empty-tile">
      <Icon path={icon} size={28} />
    </span>
    <p class="empty-title">{title}</p>
    <p class="soft">{text}</p>
    {action && (
      <a class="button secondary" href={action.href}>
        {action.label}
      </a>
    )}
  </div>
);
