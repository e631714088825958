"""What grading costs, beside other graders on the same class: `make bench-grading`."""
