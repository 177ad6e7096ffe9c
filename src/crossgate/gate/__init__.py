"""What keeps a pull request from judging itself: settings, policies and schemas of the base, and findings compared with the base's."""
