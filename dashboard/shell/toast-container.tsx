import '@mantine/core/styles/Notification.css';
import { Notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';

function ToastContainer() {
  return <Notifications position="bottom-right" />;
}

// React.lazy loads default exports.
export { ToastContainer as default };
